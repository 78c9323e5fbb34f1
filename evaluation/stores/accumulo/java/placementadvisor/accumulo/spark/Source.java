package placementadvisor.accumulo.spark;

import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Settings;

/** Accumulo as a format of Spark's DataSource V2. */
public final class Source implements TableProvider {
  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    Schema schema = table(options, null).stored();
    return SparkSchemas.of(schema, IntStream.range(0, schema.columns().size()).toArray());
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return table(new CaseInsensitiveStringMap(properties), schema);
  }

  private static StoredTable table(CaseInsensitiveStringMap options, StructType schema) {
    Settings settings = Settings.of(options);
    return new StoredTable(settings.table(), settings, options, schema);
  }

  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }
}
