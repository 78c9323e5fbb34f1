package placementadvisor.accumulo.control;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** A lock on a namespace that ends with the session of whoever holds it. */
public final class Hold implements AutoCloseable {
  private static final String ROOT = "/placement_advisor";
  private static final int SESSION_MS = 15_000;

  private final ZooKeeper session;

  private Hold(ZooKeeper session) {
    this.session = session;
  }

  /** Takes the lock; returns null if somebody else has it. */
  public static Hold taken(String zookeepers, String instance, String namespace)
      throws IOException, InterruptedException, KeeperException {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper session =
        new ZooKeeper(
            zookeepers,
            SESSION_MS,
            event -> {
              if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
              }
            });
    boolean taken = false;
    try {
      if (!connected.await(SESSION_MS, TimeUnit.MILLISECONDS)) {
        throw new IOException("ZooKeeper does not answer");
      }
      make(session, ROOT, CreateMode.PERSISTENT);
      make(session, ROOT + "/" + instance, CreateMode.PERSISTENT);
      String name = ROOT + "/" + instance + "/" + namespace;
      taken = make(session, name, CreateMode.EPHEMERAL);
    } finally {
      if (!taken) {
        session.close();
      }
    }
    return taken ? new Hold(session) : null;
  }

  private static boolean make(ZooKeeper session, String path, CreateMode mode)
      throws KeeperException, InterruptedException {
    try {
      session.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, mode);
      return true;
    } catch (KeeperException.NodeExistsException error) {
      return false;
    }
  }

  @Override
  public void close() throws InterruptedException {
    session.close();
  }
}
