package placementadvisor.accumulo.control;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.accumulo.core.client.MutationsRejectedException;
import placementadvisor.accumulo.Login;
import placementadvisor.accumulo.LoginException;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.tls.Tls;

/** What can be asked of an instance, by name; one load at a time. */
final class Commands {
  private final Instance instance;
  private Load load;

  Commands(Instance instance) {
    this.instance = instance;
  }

  /** Carries a command out; returns what it answers, which may be nothing. */
  Object done(JsonObject command) throws Exception {
    return switch (text(command, "do")) {
      case "login" -> logIn(command);
      case "prepare" -> {
        tables().prepare(text(command, "namespace"), text(command, "staging"));
        yield null;
      }
      case "list" -> tables().list(text(command, "namespace"));
      case "create" -> create(command);
      case "finish" -> finish();
      case "settle" -> {
        tables().settle(text(command, "table"));
        yield null;
      }
      case "count" -> new Counter(instance.client(), text(command, "table")).count();
      case "publish" -> {
        tables().publish(text(command, "table"), text(command, "name"), known(command));
        yield null;
      }
      case "drop" -> {
        tables().drop(text(command, "table"));
        yield null;
      }
      case "hold" -> instance.hold(text(command, "namespace"));
      case "release" -> {
        instance.release(text(command, "namespace"));
        yield null;
      }
      default -> throw new IllegalArgumentException("unknown command " + text(command, "do"));
    };
  }

  /** Takes rows for the load that was begun last. */
  void rows(byte[] text) throws InterruptedException {
    load.take(text);
  }

  private String logIn(JsonObject command) throws LoginException {
    return instance.logIn(
        new Login(
            text(command, "zookeepers"),
            text(command, "instance"),
            text(command, "user"),
            text(command, "password"),
            new Tls(
                text(command, "tls"),
                text(command, "ca"),
                text(command, "keyStore"),
                text(command, "keyStorePassword"))));
  }

  private Tables tables() {
    return new Tables(instance.client());
  }

  /** Makes a table, split where the sample of its keys says, and begins to load it. */
  private Object create(JsonObject command) throws Exception {
    giveUp();
    String table = text(command, "table");
    Schema schema = Schema.of(text(command, "schema"));
    Splits splits = new Splits(schema, command.get("tablets").getAsInt());
    byte[] sample = text(command, "sample").getBytes(StandardCharsets.UTF_8);
    tables().create(table, schema, splits.of(sample, command.get("rows").getAsLong()));
    load = new Load(instance.client(), table, schema);
    instance.loadBegins();
    return null;
  }

  private Long finish() throws Exception {
    try (Load finished = load) {
      load = null;
      return finished.finish();
    } finally {
      instance.loadEnds();
    }
  }

  /** Ends a load that nobody finished: what it could not write is not missed. */
  private void giveUp() {
    if (load == null) {
      return;
    }
    try {
      load.close();
    } catch (MutationsRejectedException error) {
      System.err.println("given up: " + error.getMessage());
    }
    load = null;
    instance.loadEnds();
  }

  private static Map<String, String> known(JsonObject command) {
    Map<String, String> found = new TreeMap<>();
    command
        .getAsJsonObject("known")
        .entrySet()
        .forEach(each -> found.put(each.getKey(), each.getValue().getAsString()));
    return found;
  }

  private static String text(JsonObject command, String key) {
    return command.get(key).getAsString();
  }
}
