package placementadvisor.accumulo.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.accumulo.core.data.Range;
import org.apache.hadoop.io.Text;

/** The ranges of keys that rows kept by some filters lie in. */
public final class KeyRanges {
  /** Ranges beyond which the filter is left to be tested row by row. */
  private static final int MOST = 20_000;

  private final Schema schema;

  /** Makes ranges of a table's keys. */
  public KeyRanges(Schema schema) {
    this.schema = schema;
  }

  /**
   * Returns ranges that hold every row that all the filters keep, and maybe others: by equal values
   * of the key's first columns, then by a range of the next.
   */
  public List<Range> of(List<Filter> filters) {
    Kind[] kinds = schema.kinds();
    List<byte[]> prefixes = List.of(new byte[0]);
    for (int column : schema.key()) {
      Kind kind = kinds[column];
      Filter equal = on(column, filters, Filter.Test.IN);
      if (equal == null || (long) prefixes.size() * count(equal) > MOST) {
        return within(prefixes, kind, column, filters);
      }
      prefixes = longer(prefixes, kind, equal);
    }
    return prefixes.stream().map(KeyRanges::beginning).toList();
  }

  private static Filter on(int column, List<Filter> filters, Filter.Test test) {
    return filters.stream()
        .filter(each -> each.column() == column && each.test() == test)
        .findFirst()
        .orElse(null);
  }

  private static int count(Filter filter) {
    return filter.numbers() == null ? filter.texts().length : filter.numbers().length;
  }

  private static Object value(Filter filter, int index) {
    return filter.numbers() == null ? filter.texts()[index] : (Object) filter.numbers()[index];
  }

  private static List<byte[]> longer(List<byte[]> prefixes, Kind kind, Filter equal) {
    List<byte[]> found = new ArrayList<>();
    for (byte[] prefix : prefixes) {
      for (int index = 0; index < count(equal); index++) {
        found.add(RowKey.prefix(prefix, kind, value(equal, index)));
      }
    }
    return found;
  }

  /** Returns the prefixes' ranges, narrowed by comparisons of the next column. */
  private static List<Range> within(
      List<byte[]> prefixes, Kind kind, int column, List<Filter> filters) {
    List<Range> found = new ArrayList<>();
    for (List<Filter> each : alternatives(column, filters)) {
      found.addAll(bounded(prefixes, kind, column, each));
    }
    return found;
  }

  /**
   * Returns lists of filters one of which every row meets: those of each range where one of a few
   * is asked of the column, else all filters as one list.
   */
  private static List<List<Filter>> alternatives(int column, List<Filter> filters) {
    for (Filter filter : filters) {
      int[] columns = filter.columns();
      if (filter.test() == Filter.Test.OR && columns.length == 1 && columns[0] == column) {
        return parts(filter, Filter.Test.OR).map(each -> parts(each, Filter.Test.AND).toList())
            .toList();
      }
    }
    return List.of(filters);
  }

  private static Stream<Filter> parts(Filter filter, Filter.Test test) {
    return filter.test() == test
        ? filter.parts().stream().flatMap(each -> parts(each, test))
        : Stream.of(filter);
  }

  private static List<Range> bounded(
      List<byte[]> prefixes, Kind kind, int column, List<Filter> filters) {
    Filter above = on(column, filters, Filter.Test.GREATER_OR_EQUAL);
    above = above == null ? on(column, filters, Filter.Test.GREATER) : above;
    Filter below = on(column, filters, Filter.Test.LESS_OR_EQUAL);
    below = below == null ? on(column, filters, Filter.Test.LESS) : below;
    List<Range> found = new ArrayList<>();
    for (byte[] prefix : prefixes) {
      if (above == null && below == null) {
        found.add(beginning(prefix));
        continue;
      }
      byte[] first =
          above == null ? RowKey.known(prefix) : RowKey.prefix(prefix, kind, value(above, 0));
      byte[] last =
          below == null ? RowKey.known(prefix) : RowKey.prefix(prefix, kind, value(below, 0));
      if (Arrays.compareUnsigned(first, last) <= 0 || below == null) {
        found.add(new Range(new Text(first), true, end(last), false));
      }
    }
    return found;
  }

  /** Returns the range of all keys that begin so; of all keys if there is no beginning. */
  private static Range beginning(byte[] prefix) {
    return prefix.length == 0
        ? new Range()
        : new Range(new Text(prefix), true, end(prefix), false);
  }

  /** Returns the first key behind all that begin so. */
  private static Text end(byte[] prefix) {
    return Range.followingPrefix(new Text(prefix));
  }
}
