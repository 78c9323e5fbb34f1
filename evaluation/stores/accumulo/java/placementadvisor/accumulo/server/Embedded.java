package placementadvisor.accumulo.server;

import java.io.File;
import org.apache.accumulo.core.classloader.ClassLoaderUtil;
import org.apache.accumulo.gc.SimpleGarbageCollector;
import org.apache.accumulo.manager.Manager;
import org.apache.accumulo.tserver.TabletServer;

/**
 * A whole Accumulo in one process: ZooKeeper, a manager, a tablet server and a garbage collector.
 *
 * <p>One process listens on loopback alone, is found again by one number and leaves nothing behind
 * when it is killed.
 */
public final class Embedded {
  private static final String[] NONE = {};

  private Embedded() {}

  /** Takes the folder of ZooKeeper and its port; serves until the process is ended. */
  public static void main(String[] arguments) throws Exception {
    Keeper keeper = new Keeper(new File(arguments[0]), Integer.parseInt(arguments[1]));
    Runtime.getRuntime().addShutdownHook(new Thread(keeper::close));
    // Asked for by two threads at once before it is there, one of them would wait for ever.
    ClassLoaderUtil.getClassLoader(null);
    serve("tablet server", () -> TabletServer.main(NONE));
    serve("manager", () -> Manager.main(NONE));
    serve("garbage collector", () -> SimpleGarbageCollector.main(NONE));
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
