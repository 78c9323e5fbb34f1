package placementadvisor.accumulo.spark;

import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** Nanoseconds that tasks wait for a store, called as those of Spark's JDBC are. */
abstract class WaitMetric extends CustomSumMetric {
  /** Until the first row is there. */
  public static final class First extends WaitMetric {
    static final String NAME = "queryExecutionTime";

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public String description() {
      return "nanoseconds until the first row";
    }
  }

  /** For all rows after it. */
  public static final class Rest extends WaitMetric {
    static final String NAME = "fetchAndTransformToInternalRowsNs";

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public String description() {
      return "nanoseconds for the other rows";
    }
  }

  /** What one task has waited. */
  record Task(String name, long value) implements CustomTaskMetric {}
}
