package placementadvisor.accumulo.rows;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.accumulo.core.data.ByteSequence;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Range;
import org.apache.accumulo.core.data.Value;
import org.apache.accumulo.core.iterators.IteratorEnvironment;
import org.apache.accumulo.core.iterators.SortedKeyValueIterator;
import org.apache.accumulo.core.iterators.WrappingIterator;
import org.apache.hadoop.io.Text;

/**
 * Runs in tablet servers: hands out only the rows and columns of packed rows that are asked for.
 *
 * <p>What an entry costs on its way is paid for a {@link RowBatch}, and no longer for each row. The
 * entry has the key of its last row: a scan that goes on behind that key meets the row after it.
 */
public final class Selection extends WrappingIterator {
  /** The option with the table's schema. */
  public static final String SCHEMA = "schema";

  /** The option with the ordinals of the columns that are handed out, with commas between them. */
  public static final String COLUMNS = "columns";

  /** The option with the filter; without it all rows are handed out. */
  public static final String FILTER = "filter";

  private Packing.Packed row;
  private Projection projection;
  private Filter filter;
  private RowBatch batch = new RowBatch();
  private Text last = new Text();
  private long lastWritten;
  private Key topKey;
  private Value top;

  @Override
  public void init(
      SortedKeyValueIterator<Key, Value> source,
      Map<String, String> options,
      IteratorEnvironment environment)
      throws IOException {
    super.init(source, options, environment);
    Schema schema = Schema.of(options.get(SCHEMA));
    row = new Packing(schema.kinds()).view();
    projection = new Projection(schema, ordinals(options.get(COLUMNS)));
    filter = options.containsKey(FILTER) ? Filter.ofJson(options.get(FILTER)) : null;
  }

  /** Returns the ordinals that {@link #COLUMNS} spells. */
  private static int[] ordinals(String columns) {
    return Stream.of(columns.split(",")).filter(each -> !each.isEmpty()).mapToInt(Integer::parseInt)
        .toArray();
  }

  @Override
  public void seek(Range range, Collection<ByteSequence> families, boolean inclusive)
      throws IOException {
    super.seek(range, families, inclusive);
    gather();
  }

  /** The source is behind the batch already. */
  @Override
  public void next() throws IOException {
    gather();
  }

  @Override
  public boolean hasTop() {
    return top != null;
  }

  @Override
  public Key getTopKey() {
    return topKey;
  }

  @Override
  public Value getTopValue() {
    return top;
  }

  private void gather() throws IOException {
    while (super.hasTop() && !batch.isFull()) {
      byte[] packed = super.getTopValue().get();
      if (filter == null || filter.keeps(row.of(packed))) {
        batch.add(projection.of(packed));
        // The source may use its key again for the next row.
        Key key = super.getTopKey();
        key.getRow(last);
        lastWritten = key.getTimestamp();
      }
      super.next();
    }
    top = null;
    if (!batch.isEmpty()) {
      topKey = new Key(last, new Text(), new Text(), lastWritten);
      top = new Value(batch.taken());
    }
  }

  @Override
  public SortedKeyValueIterator<Key, Value> deepCopy(IteratorEnvironment environment) {
    Selection copy = new Selection();
    copy.setSource(getSource().deepCopy(environment));
    copy.row = row.copy();
    copy.projection = projection.copy();
    copy.filter = filter;
    return copy;
  }
}
