package placementadvisor.accumulo.trino;

import io.trino.spi.connector.ConnectorSplit;
import placementadvisor.accumulo.scan.TabletRanges;

/** The ranges of one tablet, as they are written. */
public record AccumuloSplit(byte[] ranges, String server) implements ConnectorSplit {
  static AccumuloSplit of(TabletRanges tablet) {
    return new AccumuloSplit(tablet.written(), tablet.server() == null ? "" : tablet.server());
  }

  /** Returns the ranges. */
  TabletRanges tablet() {
    return new TabletRanges(ranges, server);
  }

  @Override
  public long getRetainedSizeInBytes() {
    return ranges.length;
  }
}
