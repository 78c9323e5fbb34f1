package placementadvisor.accumulo.rows;

import com.google.gson.Gson;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/**
 * A condition on a row, with SQL's three truth values.
 *
 * @param column the column that it is on; -1 where it is made of {@code parts}
 * @param numbers what a column that is kept as numbers is compared with, sorted
 * @param texts what one that is kept as bytes is compared with, sorted
 */
public record Filter(
    Test test, int column, Kind kind, long[] numbers, byte[][] texts, List<Filter> parts)
    implements Serializable {
  /** What is asked of the column, or of the parts. */
  public enum Test {
    IN,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    BEGINS,
    NULL,
    AND,
    OR,
    NOT
  }

  private static final int TRUE = 1;
  private static final int FALSE = 0;
  private static final int UNKNOWN = -1;

  /** Returns the condition that a column is NULL. */
  public static Filter isNull(int column, Kind kind) {
    return new Filter(Test.NULL, column, kind, null, null, null);
  }

  /** Returns a condition on a column that is kept as numbers. */
  public static Filter onNumbers(Test test, int column, Kind kind, long[] numbers) {
    long[] sorted = numbers.clone();
    Arrays.sort(sorted);
    return new Filter(test, column, kind, sorted, null, null);
  }

  /** Returns a condition on a column that is kept as bytes. */
  public static Filter onTexts(Test test, int column, byte[][] texts) {
    byte[][] sorted = texts.clone();
    Arrays.sort(sorted, Arrays::compareUnsigned);
    return new Filter(test, column, Kind.TEXT, null, sorted, null);
  }

  /** Returns a condition made of others. */
  public static Filter of(Test test, List<Filter> parts) {
    return new Filter(test, -1, null, null, null, parts);
  }

  /** Returns the filter that {@link #json} wrote. */
  public static Filter ofJson(String json) {
    return new Gson().fromJson(json, Filter.class);
  }

  /** Returns it as JSON. */
  public String json() {
    return new Gson().toJson(this);
  }

  /** Returns the ordinals of the columns that it looks at. */
  public int[] columns() {
    return parts == null
        ? new int[] {column}
        : parts.stream().flatMapToInt(part -> Arrays.stream(part.columns())).distinct().toArray();
  }

  /** Whether the row is one of those asked for. */
  public boolean keeps(Cells row) {
    return truth(row) == TRUE;
  }

  private int truth(Cells row) {
    return switch (test) {
      case AND -> all(row, FALSE);
      case OR -> all(row, TRUE);
      case NOT -> {
        int inner = parts.get(0).truth(row);
        yield inner == UNKNOWN ? UNKNOWN : TRUE - inner;
      }
      case NULL -> row.isNull(column) ? TRUE : FALSE;
      default -> row.isNull(column) ? UNKNOWN : compared(row) ? TRUE : FALSE;
    };
  }

  /** Returns `deciding` if a part is that, the other truth value if all are the other. */
  private int all(Cells row, int deciding) {
    int found = TRUE - deciding;
    for (Filter part : parts) {
      int truth = part.truth(row);
      if (truth == deciding) {
        return deciding;
      }
      if (truth == UNKNOWN) {
        found = UNKNOWN;
      }
    }
    return found;
  }

  private boolean compared(Cells row) {
    return numbers == null ? comparedText(row) : comparedNumber(row.number(column));
  }

  private boolean comparedNumber(long value) {
    if (test == Test.IN) {
      return Arrays.binarySearch(numbers, value) >= 0;
    }
    return holds(Long.compare(value, numbers[0]));
  }

  private boolean comparedText(Cells row) {
    byte[] buffer = row.buffer(column);
    int start = row.start(column);
    int end = row.end(column);
    if (test == Test.IN) {
      return isAmong(buffer, start, end);
    }
    byte[] other = texts[0];
    if (test == Test.BEGINS) {
      int length = other.length;
      return end - start >= length
          && Arrays.equals(buffer, start, start + length, other, 0, length);
    }
    return holds(Arrays.compareUnsigned(buffer, start, end, other, 0, other.length));
  }

  private boolean isAmong(byte[] buffer, int start, int end) {
    int low = 0;
    int high = texts.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      byte[] other = texts[middle];
      int order = Arrays.compareUnsigned(buffer, start, end, other, 0, other.length);
      if (order == 0) {
        return true;
      }
      if (order < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return false;
  }

  private boolean holds(int order) {
    return switch (test) {
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case GREATER -> order > 0;
      case GREATER_OR_EQUAL -> order >= 0;
      default -> throw new IllegalStateException(test + " compares nothing");
    };
  }
}
