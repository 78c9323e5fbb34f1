package placementadvisor.accumulo.scan;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.accumulo.core.client.AccumuloException;
import org.apache.accumulo.core.client.AccumuloSecurityException;
import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.accumulo.core.client.admin.Locations;
import org.apache.accumulo.core.data.Range;
import org.apache.accumulo.core.data.TabletId;
import placementadvisor.accumulo.rows.Filter;
import placementadvisor.accumulo.rows.KeyRanges;
import placementadvisor.accumulo.rows.Schema;

/**
 * The ranges of one tablet that a task reads.
 *
 * @param written the ranges as Hadoop writes them: their class is not serialisable by Java
 * @param server the host where the tablet is; null where it is not known
 */
public record TabletRanges(byte[] written, String server) implements Serializable {
  /** Returns those of all tablets that may have a row which the filters keep. */
  public static List<TabletRanges> of(Settings settings, Schema schema, List<Filter> filters)
      throws AccumuloException, AccumuloSecurityException, TableNotFoundException {
    List<Range> ranges = Range.mergeOverlapping(new KeyRanges(schema).of(filters));
    Locations tablets = settings.client().tableOperations().locate(settings.table(), ranges);
    List<TabletRanges> found = new ArrayList<>();
    for (Map.Entry<TabletId, List<Range>> each : tablets.groupByTablet().entrySet()) {
      String server = tablets.getTabletLocation(each.getKey());
      found.add(of(each.getKey(), each.getValue(), server));
    }
    return found;
  }

  /** Returns the part of these ranges that lies in the tablet; `server` has a port. */
  private static TabletRanges of(TabletId tablet, List<Range> ranges, String server) {
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
    String host = server == null ? null : server.replaceFirst(":\\d+$", "");
    return new TabletRanges(written.toByteArray(), host);
  }

  /** Returns the ranges. */
  public List<Range> ranges() {
    List<Range> found = new ArrayList<>();
    try (DataInputStream input = new DataInputStream(new ByteArrayInputStream(written))) {
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
}
