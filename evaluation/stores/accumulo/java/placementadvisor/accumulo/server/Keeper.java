package placementadvisor.accumulo.server;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper in this process, on loopback. */
final class Keeper implements AutoCloseable {
  private static final int TICK_MS = 1_000;
  private static final int MOST_CONNECTIONS = 1_000;

  private final ZooKeeperServer server;
  private final NIOServerCnxnFactory connections;

  /**
   * Begins to serve.
   *
   * @throws IOException the port is taken (``Address already in use``)
   */
  Keeper(File folder, int port) throws IOException, InterruptedException {
    server = new ZooKeeperServer(folder, folder, TICK_MS);
    server.startdata();
    // Whoever had a session is gone with the server before this one, and so are its locks.
    ZKDatabase data = server.getZKDatabase();
    for (long session : new ArrayList<>(data.getSessions())) {
      data.killSession(session, data.getDataTreeLastProcessedZxid());
    }
    data.getSessionWithTimeOuts().clear();
    connections = new NIOServerCnxnFactory();
    connections.configure(
        new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), MOST_CONNECTIONS);
    connections.startup(server);
  }

  /** Returns the port. */
  int port() {
    return connections.getLocalPort();
  }

  @Override
  public void close() {
    connections.shutdown();
  }
}
