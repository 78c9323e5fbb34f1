package placementadvisor.accumulo.spark;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Settings;

/**
 * A write in the mode {@code overwrite}: the table is replaced as a whole when all rows are there.
 *
 * <p>Options beside those of reading: {@code key}, columns with commas between them, {@code layout},
 * and {@code known.…} for what is to be known of the copy.
 */
final class Replacing implements SupportsTruncate {
  private static final String KNOWN = "known.";

  private final Settings settings;
  private final CaseInsensitiveStringMap options;
  private final StructType columns;
  private boolean isTruncated;

  Replacing(Settings settings, CaseInsensitiveStringMap options, StructType columns) {
    this.settings = settings;
    this.options = options;
    this.columns = columns;
  }

  @Override
  public WriteBuilder truncate() {
    isTruncated = true;
    return this;
  }

  @Override
  public Write build() {
    if (!isTruncated) {
      throw new IllegalArgumentException(
          "rows cannot be added to table " + settings.table() + ": write in the mode 'overwrite'");
    }
    String key = options.getOrDefault("key", "");
    List<String> names = key.isEmpty() ? List.of() : Arrays.asList(key.split(","));
    Schema schema =
        SparkSchemas.of(columns, names, options.getOrDefault("layout", Schema.PACKED));
    Map<String, String> known = new HashMap<>();
    options.forEach(
        (name, value) -> {
          if (name.startsWith(KNOWN)) {
            known.put(name.substring(KNOWN.length()), value);
          }
        });
    return new Write() {
      @Override
      public BatchWrite toBatch() {
        return new Replacement(settings, schema, known);
      }
    };
  }
}
