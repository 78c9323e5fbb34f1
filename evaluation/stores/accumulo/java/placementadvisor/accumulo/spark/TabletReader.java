package placementadvisor.accumulo.spark;

import java.io.IOException;
import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import placementadvisor.accumulo.rows.Cells;
import placementadvisor.accumulo.scan.TabletRanges;
import placementadvisor.accumulo.scan.TabletRows;
import placementadvisor.accumulo.scan.Wanted;

/** Reads the rows of one tablet that a task asks for. */
final class TabletReader implements PartitionReader<InternalRow> {
  private static final double NANOSECONDS = 1e9;
  private static final int ROWS_UNWATCHED = 1024;

  private final Wanted wanted;
  private final TabletRows rows;
  private final SparkRows converted;
  private final long began = System.nanoTime();
  private InternalRow row;
  private long seen;
  private long firstNs;
  private long restNs;

  TabletReader(Wanted wanted, TabletRanges tablet) {
    this.wanted = wanted;
    try {
      rows = TabletRows.of(wanted, tablet.ranges());
    } catch (TableNotFoundException error) {
      throw new IllegalStateException(error);
    }
    converted = new SparkRows(wanted.schema(), wanted.columns(), rows.ordinals());
  }

  @Override
  public boolean next() throws IOException {
    long from = System.nanoTime();
    Cells found = kept();
    row = found == null ? null : converted.of(found);
    long took = System.nanoTime() - from;
    if (firstNs == 0) {
      firstNs = took;
    } else {
      restNs += took;
    }
    return row != null;
  }

  /** Returns the next row that the filter keeps; null at the end. */
  private Cells kept() throws IOException {
    while (true) {
      Cells found = rows.next();
      if (found == null || rows.isFiltered() || wanted.filter().keeps(found)) {
        return found;
      }
      if (++seen % ROWS_UNWATCHED == 0) {
        refuseToGoOn();
      }
    }
  }

  /** Ends a task that is late or cancelled: where no row is kept, Spark cannot. */
  private void refuseToGoOn() throws IOException {
    TaskContext task = TaskContext.get();
    if (task != null && task.isInterrupted()) {
      throw new IOException("the task was cancelled");
    }
    double seconds = (System.nanoTime() - began) / NANOSECONDS;
    if (wanted.settings().timeoutS() > 0 && seconds > wanted.settings().timeoutS()) {
      throw new IOException("timeout: the scan was not done after " + seconds + " s");
    }
  }

  @Override
  public InternalRow get() {
    return row;
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return new CustomTaskMetric[] {
      new WaitMetric.Task(WaitMetric.First.NAME, firstNs),
      new WaitMetric.Task(WaitMetric.Rest.NAME, restNs)
    };
  }

  @Override
  public void close() {
    rows.close();
  }
}
