package placementadvisor.accumulo.spark;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.apache.accumulo.core.client.AccumuloException;
import org.apache.accumulo.core.client.AccumuloSecurityException;
import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;
import placementadvisor.accumulo.rows.Filter;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Settings;
import placementadvisor.accumulo.scan.TabletRanges;
import placementadvisor.accumulo.scan.Wanted;

/** A scan of some columns and rows of a table, with a partition for each tablet that has any. */
final class TableScan implements SupportsReportStatistics, Batch {
  private static final int TEXT_BYTES = 20;

  private final Settings settings;
  private final Schema schema;
  private final long rows;
  private final int[] columns;
  private final List<Filter> filters;
  private final String pushed;

  TableScan(
      Settings settings,
      Schema schema,
      long rows,
      int[] columns,
      List<Filter> filters,
      String pushed) {
    this.settings = settings;
    this.schema = schema;
    this.rows = rows;
    this.columns = columns.clone();
    this.filters = filters;
    this.pushed = pushed;
  }

  @Override
  public StructType readSchema() {
    return SparkSchemas.of(schema, columns);
  }

  @Override
  public String description() {
    return "Accumulo " + settings.table() + ", PushedFilters: " + pushed;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    try {
      return TabletRanges.of(settings, schema, filters).stream()
          .map(TabletPart::new)
          .toArray(InputPartition[]::new);
    } catch (AccumuloException | AccumuloSecurityException | TableNotFoundException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new TabletReaders(new Wanted(settings, schema, columns, Wanted.all(filters)));
  }

  @Override
  public Statistics estimateStatistics() {
    long width =
        Arrays.stream(columns)
            .mapToLong(
                column ->
                    schema.columns().get(column).kind().isNumber() ? Long.BYTES : TEXT_BYTES)
            .sum();
    return new Statistics() {
      @Override
      public OptionalLong sizeInBytes() {
        return rows < 0 ? OptionalLong.empty() : OptionalLong.of(Math.max(1, rows * width));
      }

      @Override
      public OptionalLong numRows() {
        return rows < 0 ? OptionalLong.empty() : OptionalLong.of(rows);
      }
    };
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return new CustomMetric[] {new WaitMetric.First(), new WaitMetric.Rest()};
  }
}
