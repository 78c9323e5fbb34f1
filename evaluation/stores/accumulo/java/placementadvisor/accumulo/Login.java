package placementadvisor.accumulo;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.accumulo.core.client.Accumulo;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.AccumuloException;
import org.apache.accumulo.core.client.AccumuloSecurityException;
import org.apache.accumulo.core.client.security.tokens.PasswordToken;
import placementadvisor.accumulo.tls.Tls;

/**
 * Where an instance is, whom to log in as, and how that is encrypted.
 *
 * @param zookeepers hosts with ports, with commas between them
 */
public record Login(String zookeepers, String instance, String user, String password, Tls tls)
    implements Serializable {
  private static final int PATIENCE_MS = 3_000;
  private static final int SESSION_MS = 15_000;

  /** Opens a client; nothing is asked of the instance yet, but how its servers are reached. */
  public AccumuloClient open() {
    if (!tls.mode().equals(Tls.PREFER)) {
      return opened(tls);
    }
    try {
      return opened(reached().tls());
    } catch (LoginException error) {
      throw new IllegalStateException(error.getMessage(), error);
    }
  }

  /** A client, and the protocol that encrypts its connections: null for clear text. */
  public record Accepted(AccumuloClient client, String protocol) {}

  /**
   * Opens a client whose login was accepted.
   *
   * @throws LoginException no ZooKeeper answers, TLS fails, or the user or password is refused
   */
  public Accepted openAccepted() throws LoginException {
    refuseSilent();
    Reached reached = reached();
    AccumuloClient client = opened(reached.tls());
    try {
      if (authenticated(client, reached)) {
        return new Accepted(client, reached.protocol());
      }
    } catch (LoginException | RuntimeException error) {
      client.close();
      throw new LoginException(String.valueOf(error.getMessage()));
    }
    client.close();
    throw new LoginException("user or password refused");
  }

  private AccumuloClient opened(Tls encryption) {
    Properties properties =
        Accumulo.newClientProperties()
            .to(instance, zookeepers)
            .as(user, password)
            .zkTimeout(SESSION_MS)
            .build();
    try {
      encryption.put(properties);
    } catch (IOException | GeneralSecurityException error) {
      throw new IllegalStateException(error.getMessage(), error);
    }
    return Accumulo.newClient().from(properties).build();
  }

  /** Asks ZooKeeper for the servers, and these how they are reached. */
  private Reached reached() throws LoginException {
    try (AccumuloClient client = opened(tls.with(Tls.DISABLE))) {
      return Reached.of(client.instanceOperations().getTabletServers(), tls);
    }
  }

  /** Logs in; a client in clear text would wait for ever for a server that wants TLS. */
  private boolean authenticated(AccumuloClient client, Reached reached) throws LoginException {
    CompletableFuture<Boolean> asked =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return client
                    .securityOperations()
                    .authenticateUser(user, new PasswordToken(password));
              } catch (AccumuloException | AccumuloSecurityException error) {
                throw new IllegalStateException(error.getMessage(), error);
              }
            });
    try {
      try {
        return asked.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException error) {
        reached.refuseClearText();
        return asked.get();
      }
    } catch (ExecutionException error) {
      reached.refuseClearText();
      throw new LoginException(String.valueOf(error.getCause().getMessage()));
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new LoginException("interrupted");
    }
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
