package placementadvisor.accumulo.spark;

import java.util.Map;
import java.util.Set;
import org.apache.accumulo.core.client.AccumuloException;
import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import placementadvisor.accumulo.control.Tables;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Settings;

/** One table, to be read or to be replaced. */
final class StoredTable implements SupportsRead, SupportsWrite {
  private final String name;
  private final Settings settings;
  private final CaseInsensitiveStringMap options;
  private final StructType columns;

  /** Makes a table that plans call `name`. */
  StoredTable(
      String name, Settings settings, CaseInsensitiveStringMap options, StructType columns) {
    this.name = name;
    this.settings = settings;
    this.options = options;
    this.columns = columns;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  @SuppressWarnings("deprecation")
  public StructType schema() {
    return columns;
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(
        TableCapability.BATCH_READ,
        TableCapability.BATCH_WRITE,
        TableCapability.TRUNCATE,
        TableCapability.ACCEPT_ANY_SCHEMA);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap ignored) {
    Map<String, String> known = known();
    return new Scanning(settings, schema(known), Long.parseLong(known.getOrDefault("rows", "-1")));
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new Replacing(settings, options, info.schema());
  }

  /** Returns the schema that is kept with the table. */
  Schema stored() {
    return schema(known());
  }

  private Map<String, String> known() {
    try {
      return new Tables(settings.client()).known(settings.table());
    } catch (AccumuloException | TableNotFoundException error) {
      throw new IllegalStateException(error);
    }
  }

  private Schema schema(Map<String, String> known) {
    String schema = known.get(Tables.SCHEMA);
    if (schema == null) {
      throw new IllegalStateException("table " + settings.table() + " is none of ours");
    }
    return Schema.of(schema);
  }
}
