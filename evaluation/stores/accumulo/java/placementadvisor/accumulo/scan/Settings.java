package placementadvisor.accumulo.scan;

import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.accumulo.core.client.AccumuloClient;
import placementadvisor.accumulo.Login;
import placementadvisor.accumulo.tls.Tls;

/**
 * What an engine's options say of one table.
 *
 * @param table the namespace and the name, with a point between them
 * @param timeoutS seconds after which a task gives up; 0 for none
 * @param batch entries that are asked for at once
 * @param inServers whether tablet servers have our iterator, to filter and to cut out columns
 */
public record Settings(Login login, String table, double timeoutS, int batch, boolean inServers)
    implements Serializable {
  private static final int BATCH = 10_000;

  /** Clients take seconds to make and have threads of their own: one for each login is kept. */
  private static final Map<Login, AccumuloClient> CLIENTS = new ConcurrentHashMap<>();

  /** Reads the options {@code zookeepers}, {@code instance}, {@code user}, {@code password} …. */
  public static Settings of(Map<String, String> options) {
    return new Settings(
        new Login(
            needed(options, "zookeepers"),
            needed(options, "instance"),
            needed(options, "user"),
            options.getOrDefault("password", ""),
            new Tls(
                options.getOrDefault("tls", Tls.PREFER),
                options.getOrDefault("ca", ""),
                options.getOrDefault("keyStore", ""),
                options.getOrDefault("keyStorePassword", ""))),
        needed(options, "table"),
        Double.parseDouble(options.getOrDefault("timeout", "0")),
        Integer.parseInt(options.getOrDefault("batch", String.valueOf(BATCH))),
        "server".equals(options.get("iterators")));
  }

  private static String needed(Map<String, String> options, String name) {
    String value = options.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the option '" + name + "' is needed");
    }
    return value;
  }

  /** Returns the client of this process. */
  public AccumuloClient client() {
    return CLIENTS.computeIfAbsent(login, Login::open);
  }
}
