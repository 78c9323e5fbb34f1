package placementadvisor.pool;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Resets settings to those that the session began with, and drops its temporary tables, locks and
 * prepared statements. All settings must be given at the start: what a driver sets afterwards would
 * be lost.
 */
final class PostgreSQLReset implements Reset {
  // Marked as ours in logs and statistics, as `workloads.counting.own` knows it.
  private static final String RESET = "/* placement-advisor */ DISCARD ALL";

  @Override
  public void apply(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.rollback();
      connection.setAutoCommit(true);
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute(RESET);
    }
    connection.clearWarnings();
  }
}
