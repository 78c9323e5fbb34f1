package placementadvisor.accumulo.rows;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import org.apache.accumulo.core.client.ScannerBase;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Value;
import org.apache.hadoop.io.Text;

/** Puts rows together whose columns are an entry each. */
public final class ColumnarRows {
  private final Kind[] kinds;
  private final Iterator<Map.Entry<Key, Value>> entries;
  private final Row row;
  private boolean begun;
  private boolean ended;

  /** Reads the columns with these ordinals alone. The entries of a row must lie side by side. */
  public ColumnarRows(Schema schema, ScannerBase scanner, int[] columns) {
    kinds = schema.kinds();
    row = new Row(kinds.length);
    Text family = new Text(Entries.FAMILY);
    scanner.fetchColumn(family, new Text(Entries.ROW));
    for (int column : columns) {
      scanner.fetchColumn(family, new Text(Entries.qualifier(column)));
    }
    entries = scanner.iterator();
  }

  /** Returns the next row, which is good until the one after it; null at the end. */
  public Cells next() {
    if (ended || !begun && !entries.hasNext()) {
      return null;
    }
    if (!begun) {
      // The first entry says that a row begins.
      entries.next();
      begun = true;
    }
    row.clear();
    while (entries.hasNext()) {
      Map.Entry<Key, Value> entry = entries.next();
      byte[] qualifier = entry.getKey().getColumnQualifierData().toArray();
      if (qualifier.length == 0) {
        return row;
      }
      set(ByteBuffer.wrap(qualifier).getShort(), entry.getValue().get());
    }
    ended = true;
    return row;
  }

  private void set(int column, byte[] value) {
    if (kinds[column].isNumber()) {
      row.set(column, ByteBuffer.wrap(value).getLong());
    } else {
      row.set(column, value);
    }
  }
}
