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

/** Runs in tablet servers: hands out only the rows and columns of packed rows that are asked for. */
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
    skip();
  }

  @Override
  public void next() throws IOException {
    super.next();
    skip();
  }

  @Override
  public Value getTopValue() {
    return top;
  }

  private void skip() throws IOException {
    while (hasTop()) {
      byte[] packed = super.getTopValue().get();
      if (filter == null || filter.keeps(row.of(packed))) {
        top = new Value(projection.of(packed));
        return;
      }
      super.next();
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
