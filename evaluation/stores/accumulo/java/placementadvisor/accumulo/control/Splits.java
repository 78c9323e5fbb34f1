package placementadvisor.accumulo.control;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.io.Text;
import placementadvisor.accumulo.rows.RowKey;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.rows.TextRows;

/** Where a table is cut into tablets of about as many rows. */
final class Splits {
  private final Schema schema;
  private final int tablets;

  Splits(Schema schema, int tablets) {
    this.schema = schema;
    this.tablets = tablets;
  }

  /** Returns the last keys of all tablets but the last, told by a sample of the key's columns. */
  SortedSet<Text> of(byte[] sample, long rows) {
    SortedSet<Text> found = new TreeSet<>();
    if (schema.key().isEmpty()) {
      for (int tablet = 1; tablet < tablets; tablet++) {
        found.add(new Text(RowKey.numbered(rows * tablet / tablets)));
      }
      return found;
    }
    List<Text> keys = new ArrayList<>();
    RowKey key = new RowKey(schema);
    int[] columns = schema.key().stream().mapToInt(Integer::intValue).toArray();
    new TextRows(schema, columns)
        .read(sample, sample.length, row -> keys.add(new Text(key.of(row, 0))));
    keys.sort(null);
    for (int tablet = 1; tablet < tablets && !keys.isEmpty(); tablet++) {
      found.add(keys.get(keys.size() * tablet / tablets));
    }
    return found;
  }
}
