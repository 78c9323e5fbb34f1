package placementadvisor.accumulo.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownFilters;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import placementadvisor.accumulo.rows.Filter;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Settings;

/** A scan that Spark still tells what it needs. */
final class Scanning implements SupportsPushDownFilters, SupportsPushDownRequiredColumns {
  private final Settings settings;
  private final Schema schema;
  private final long rows;
  private final List<Filter> filters = new ArrayList<>();
  private final List<org.apache.spark.sql.sources.Filter> pushed = new ArrayList<>();
  private int[] columns;

  Scanning(Settings settings, Schema schema, long rows) {
    this.settings = settings;
    this.schema = schema;
    this.rows = rows;
    columns = IntStream.range(0, schema.columns().size()).toArray();
  }

  @Override
  public org.apache.spark.sql.sources.Filter[] pushFilters(
      org.apache.spark.sql.sources.Filter[] asked) {
    SparkFilters ours = new SparkFilters(schema);
    List<org.apache.spark.sql.sources.Filter> left = new ArrayList<>();
    for (org.apache.spark.sql.sources.Filter each : asked) {
      Filter filter = ours.of(each);
      if (filter == null) {
        left.add(each);
      } else {
        filters.add(filter);
        pushed.add(each);
      }
    }
    return left.toArray(org.apache.spark.sql.sources.Filter[]::new);
  }

  @Override
  public org.apache.spark.sql.sources.Filter[] pushedFilters() {
    return pushed.toArray(org.apache.spark.sql.sources.Filter[]::new);
  }

  @Override
  public void pruneColumns(StructType needed) {
    columns = new int[needed.length()];
    for (int index = 0; index < columns.length; index++) {
      StructField field = needed.apply(index);
      columns[index] = schema.ordinal(field.name());
    }
  }

  @Override
  public Scan build() {
    return new TableScan(settings, schema, rows, columns, filters, pushed.toString());
  }
}
