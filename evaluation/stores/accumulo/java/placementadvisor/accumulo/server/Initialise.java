package placementadvisor.accumulo.server;

import java.io.File;
import java.nio.charset.StandardCharsets;
import org.apache.accumulo.server.init.Initialize;

/** Makes a new instance in a folder: its password is read from standard input. */
public final class Initialise {
  private Initialise() {}

  /** Takes the folder of ZooKeeper, the port that it is to have, and the instance's name. */
  public static void main(String[] arguments) throws Exception {
    String password = new String(System.in.readAllBytes(), StandardCharsets.UTF_8).trim();
    try (Keeper keeper = new Keeper(new File(arguments[0]), Integer.parseInt(arguments[1]))) {
      // In this process, so that the password is no process's argument. It ends it where it fails.
      new Initialize()
          .execute(
              new String[] {
                "--instance-name", arguments[2], "--clear-instance-name", "--password", password
              });
    }
    System.exit(0);
  }
}
