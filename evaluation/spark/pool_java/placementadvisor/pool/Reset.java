package placementadvisor.pool;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/** Makes a session as new, by the means of its server; a failure tells that it cannot be used. */
interface Reset {
  void apply(Connection connection) throws SQLException;

  /** Tell whether connections of a URL can be reset. Others are never kept. */
  static boolean isKnown(String url) {
    return isPostgreSQL(url) || url.startsWith("jdbc:mysql:");
  }

  static Reset of(String url, Properties properties) {
    return isPostgreSQL(url) ? new PostgreSQLReset() : new MySQLReset(properties);
  }

  private static boolean isPostgreSQL(String url) {
    return url.startsWith("jdbc:postgresql:");
  }
}
