package placementadvisor.accumulo.trino;

import io.trino.spi.ErrorCode;
import io.trino.spi.ErrorType;
import io.trino.spi.TrinoException;
import io.trino.spi.classloader.ThreadContextClassLoader;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import placementadvisor.accumulo.control.Tables;
import placementadvisor.accumulo.scan.Settings;

/** An Accumulo as a catalog's file describes it. */
final class Instance {
  private static final String TABLE = "table";
  private static final ErrorCode FAILED =
      new ErrorCode(0x7ACC_0001, "ACCUMULO_FAILED", ErrorType.EXTERNAL);

  private final Map<String, String> settings;

  Instance(Map<String, String> settings) {
    this.settings = Map.copyOf(settings);
    // A setting that is missing is told when Trino starts.
    of("");
  }

  /** Returns the settings of the scan of a table. */
  Settings of(String table) {
    Map<String, String> whole = new HashMap<>(settings);
    whole.put(TABLE, table);
    return Settings.of(whole);
  }

  /** Returns the door to its tables. */
  Tables tables() {
    return new Tables(of("").client());
  }

  /** Asks the instance for something; Trino is told of what fails. */
  <T> T ask(Callable<T> question) {
    // The client finds some of its classes by name.
    try (ThreadContextClassLoader ignored =
        new ThreadContextClassLoader(Instance.class.getClassLoader())) {
      return question.call();
    } catch (TrinoException error) {
      throw error;
    } catch (Exception error) {
      throw new TrinoException(() -> FAILED, "Accumulo: " + error.getMessage(), error);
    }
  }
}
