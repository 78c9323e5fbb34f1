package placementadvisor.accumulo.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.accumulo.core.data.Range;
import org.apache.accumulo.core.data.TabletId;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * The ranges of one tablet that a task reads.
 *
 * @param ranges as Hadoop writes them: their class is not serialisable by Java
 * @param servers where the tablet is
 */
record TabletPart(byte[] ranges, String[] servers) implements InputPartition {
  /** Returns the part of these ranges that lies in the tablet; `server` has a port. */
  static TabletPart of(TabletId tablet, List<Range> ranges, String server) {
    Range whole = new Range(tablet.getPrevEndRow(), false, tablet.getEndRow(), true);
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    try (DataOutputStream output = new DataOutputStream(written)) {
      for (Range range : ranges) {
        Range inside = whole.clip(range, true);
        if (inside != null) {
          inside.write(output);
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    String[] servers =
        server == null ? new String[0] : new String[] {server.replaceFirst(":\\d+$", "")};
    return new TabletPart(written.toByteArray(), servers);
  }

  /** Returns the ranges. */
  List<Range> read() {
    List<Range> found = new ArrayList<>();
    try (DataInputStream input = new DataInputStream(new ByteArrayInputStream(ranges))) {
      while (input.available() > 0) {
        Range range = new Range();
        range.readFields(input);
        found.add(range);
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return found;
  }

  @Override
  public String[] preferredLocations() {
    return servers;
  }
}
