package placementadvisor.pool;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.mariadb.jdbc.client.Client;
import org.mariadb.jdbc.client.impl.StandardClient;
import org.mariadb.jdbc.message.ClientMessage;
import org.mariadb.jdbc.message.client.QueryPacket;
import org.mariadb.jdbc.message.client.ResetPacket;

/**
 * Resets a session of MariaDB or MySQL, and then does what the driver does after a login.
 *
 * <p>The driver's own {@code Connection.reset()} leaves out what it sets after a login, and for
 * MySQL the reset itself: MySQL's also takes the character set back to the server's.
 */
final class MySQLReset implements Reset {
  private static final String CHARACTERS = "SET NAMES utf8mb4";

  private final String first;

  MySQLReset(Properties properties) {
    first = properties.getProperty("initSql");
  }

  @Override
  public void apply(Connection connection) throws SQLException {
    var ours = connection.unwrap(org.mariadb.jdbc.Connection.class);
    int wait = ours.getNetworkTimeout();
    ours.reset();
    ours.setNetworkTimeout(Runnable::run, wait);
    Client client = ours.getClient();
    List<ClientMessage> messages = new ArrayList<>();
    messages.add(ResetPacket.INSTANCE);
    if (!client.getContext().getVersion().isMariaDBServer()) {
      messages.add(new QueryPacket(CHARACTERS));
    }
    String set = ((StandardClient) client).createSessionVariableQuery(client.getContext());
    if (set != null) {
      messages.add(new QueryPacket(set));
    }
    if (first != null) {
      messages.add(new QueryPacket(first));
    }
    client.executePipeline(
        messages.toArray(ClientMessage[]::new),
        null,
        0,
        0L,
        ResultSet.CONCUR_READ_ONLY,
        ResultSet.TYPE_FORWARD_ONLY,
        false,
        false);
  }
}
