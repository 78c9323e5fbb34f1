package placementadvisor.accumulo.spark;

import org.apache.spark.sql.connector.read.InputPartition;
import placementadvisor.accumulo.scan.TabletRanges;

/** The ranges of one tablet that a task reads. */
record TabletPart(TabletRanges tablet) implements InputPartition {
  @Override
  public String[] preferredLocations() {
    return tablet.server() == null ? new String[0] : new String[] {tablet.server()};
  }
}
