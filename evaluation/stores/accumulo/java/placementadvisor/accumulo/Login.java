package placementadvisor.accumulo;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Properties;
import org.apache.accumulo.core.client.Accumulo;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.AccumuloException;
import org.apache.accumulo.core.client.AccumuloSecurityException;
import org.apache.accumulo.core.client.security.tokens.PasswordToken;

/**
 * Where an instance is, and whom to log in as.
 *
 * @param zookeepers hosts with ports, with commas between them
 */
public record Login(String zookeepers, String instance, String user, String password)
    implements Serializable {
  private static final int PATIENCE_MS = 3_000;
  private static final int SESSION_MS = 15_000;

  /** Opens a client; nothing is asked of the instance yet. */
  public AccumuloClient open() {
    Properties properties =
        Accumulo.newClientProperties()
            .to(instance, zookeepers)
            .as(user, password)
            .zkTimeout(SESSION_MS)
            .build();
    return Accumulo.newClient().from(properties).build();
  }

  /**
   * Opens a client whose login was accepted.
   *
   * @throws LoginException no ZooKeeper answers, or the user or password is refused
   */
  public AccumuloClient openAccepted() throws LoginException {
    refuseSilent();
    AccumuloClient client = open();
    try {
      if (client.securityOperations().authenticateUser(user, new PasswordToken(password))) {
        return client;
      }
    } catch (AccumuloException | AccumuloSecurityException | RuntimeException error) {
      client.close();
      throw new LoginException(String.valueOf(error.getMessage()));
    }
    client.close();
    throw new LoginException("user or password refused");
  }

  /** Clients wait for their ZooKeepers for minutes: find out first whether there is one. */
  private void refuseSilent() throws LoginException {
    String reason = "no ZooKeeper is named";
    for (String each : zookeepers.split(",")) {
      int colon = each.lastIndexOf(':');
      try (Socket socket = new Socket()) {
        int port = Integer.parseInt(each.substring(colon + 1));
        socket.connect(new InetSocketAddress(each.substring(0, colon), port), PATIENCE_MS);
        return;
      } catch (IOException error) {
        reason = error.getMessage();
      }
    }
    throw new LoginException(reason);
  }

  /** Says where, without the password. */
  @Override
  public String toString() {
    return user + "@" + instance + " at " + zookeepers;
  }
}
