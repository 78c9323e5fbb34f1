package placementadvisor.accumulo.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import org.apache.accumulo.core.Constants;
import org.apache.accumulo.core.classloader.ClassLoaderUtil;
import org.apache.accumulo.core.conf.SiteConfiguration;
import org.apache.accumulo.core.fate.zookeeper.ZooUtil.NodeExistsPolicy;
import org.apache.accumulo.core.manager.thrift.ManagerGoalState;
import org.apache.accumulo.core.rpc.clients.ThriftClientTypes;
import org.apache.accumulo.core.trace.TraceUtil;
import org.apache.accumulo.gc.SimpleGarbageCollector;
import org.apache.accumulo.manager.Manager;
import org.apache.accumulo.server.ServerContext;
import org.apache.accumulo.tserver.TabletServer;

/**
 * A whole Accumulo in one process: ZooKeeper, a manager, a tablet server and a garbage collector.
 *
 * <p>One process listens on loopback alone, is found again by one number and leaves nothing behind
 * when it is killed.
 */
public final class Embedded {
  private static final String[] NONE = {};
  private static final long LONGEST_STOP_MS = 10_000;

  private Embedded() {}

  /** Takes the folder of ZooKeeper and its port; serves until the process is ended. */
  public static void main(String[] arguments) throws Exception {
    Keeper keeper = new Keeper(new File(arguments[0]), Integer.parseInt(arguments[1]));
    // Asked for by two threads at once before it is there, one of them would wait for ever.
    ClassLoaderUtil.getClassLoader(null);
    ServerContext context = new ServerContext(SiteConfiguration.auto());
    // It adds a hook of its own, which nobody can any more when a process ends.
    context.getConfiguration();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(context, keeper)));
    // The manager that was asked to end has left its aim for the next one.
    context
        .getZooReaderWriter()
        .putPersistentData(
            context.getZooKeeperRoot() + Constants.ZMANAGER_GOAL_STATE,
            ManagerGoalState.NORMAL.name().getBytes(UTF_8),
            NodeExistsPolicy.OVERWRITE);
    serve("tablet server", () -> TabletServer.main(NONE));
    serve("manager", () -> Manager.main(NONE));
    serve("garbage collector", () -> SimpleGarbageCollector.main(NONE));
  }

  /** Ends the servers, in order where there is time for it. */
  private static void end(ServerContext context, Keeper keeper) {
    Thread stop = new Thread(() -> stop(context), "stop");
    stop.setDaemon(true);
    stop.start();
    try {
      stop.join(LONGEST_STOP_MS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    keeper.close();
  }

  /**
   * Asks the manager to end all servers in order.
   *
   * <p>Tablets that are unloaded are there at once when the servers start again. Without this their
   * log is recovered first.
   */
  private static void stop(ServerContext context) {
    try {
      ThriftClientTypes.MANAGER.executeVoid(
          context, manager -> manager.shutdown(TraceUtil.traceInfo(), context.rpcCreds(), true));
    } catch (Exception error) {
      error.printStackTrace();
    }
  }

  /** Runs one server; all end when one does. */
  private static void serve(String name, Server server) {
    new Thread(
            () -> {
              try {
                server.run();
              } catch (Throwable error) {
                error.printStackTrace();
              }
              System.err.println("The " + name + " has ended.");
              Runtime.getRuntime().halt(1);
            },
            name)
        .start();
  }

  /** The main program of a server. */
  private interface Server {
    void run() throws Exception;
  }
}
