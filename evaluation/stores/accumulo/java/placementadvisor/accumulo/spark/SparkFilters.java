package placementadvisor.accumulo.spark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.sources.And;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.GreaterThanOrEqual;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.sources.IsNotNull;
import org.apache.spark.sql.sources.IsNull;
import org.apache.spark.sql.sources.LessThan;
import org.apache.spark.sql.sources.LessThanOrEqual;
import org.apache.spark.sql.sources.Not;
import org.apache.spark.sql.sources.Or;
import org.apache.spark.sql.sources.StringStartsWith;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import placementadvisor.accumulo.rows.Filter;
import placementadvisor.accumulo.rows.Filter.Test;
import placementadvisor.accumulo.rows.Kind;
import placementadvisor.accumulo.rows.Schema;

/** Spark's filters as ours; what we do not test the same way is left to Spark. */
final class SparkFilters {
  private final Schema schema;
  private final Kind[] kinds;

  SparkFilters(Schema schema) {
    this.schema = schema;
    kinds = schema.kinds();
  }

  /** Returns the filter as ours; null where Spark has to test it. */
  Filter of(org.apache.spark.sql.sources.Filter filter) {
    if (filter instanceof EqualTo each) {
      return compared(Test.IN, each.attribute(), each.value());
    } else if (filter instanceof In each) {
      return compared(Test.IN, each.attribute(), each.values());
    } else if (filter instanceof LessThan each) {
      return compared(Test.LESS, each.attribute(), each.value());
    } else if (filter instanceof LessThanOrEqual each) {
      return compared(Test.LESS_OR_EQUAL, each.attribute(), each.value());
    } else if (filter instanceof GreaterThan each) {
      return compared(Test.GREATER, each.attribute(), each.value());
    } else if (filter instanceof GreaterThanOrEqual each) {
      return compared(Test.GREATER_OR_EQUAL, each.attribute(), each.value());
    } else if (filter instanceof StringStartsWith each) {
      return compared(Test.BEGINS, each.attribute(), each.value());
    } else if (filter instanceof IsNull each) {
      return isNull(each.attribute());
    } else if (filter instanceof IsNotNull each) {
      return all(Test.NOT, isNull(each.attribute()));
    } else if (filter instanceof And each) {
      return all(Test.AND, of(each.left()), of(each.right()));
    } else if (filter instanceof Or each) {
      return all(Test.OR, of(each.left()), of(each.right()));
    } else if (filter instanceof Not each) {
      return all(Test.NOT, of(each.child()));
    }
    return null;
  }

  private static Filter all(Test test, Filter... parts) {
    List<Filter> found = new ArrayList<>();
    for (Filter part : parts) {
      if (part == null) {
        return null;
      }
      found.add(part);
    }
    return Filter.of(test, found);
  }

  private Filter isNull(String attribute) {
    int column = schema.ordinal(attribute);
    return column < 0 ? null : Filter.isNull(column, kinds[column]);
  }

  /** Returns the comparison of a column with values that are not NULL; null where it is not ours. */
  private Filter compared(Test test, String attribute, Object... values) {
    int column = schema.ordinal(attribute);
    if (column < 0 || values.length == 0) {
      return null;
    }
    Kind kind = kinds[column];
    // Spark has an order of its own for NaN and for zeros with a sign.
    if (kind.isFloating() || kind == Kind.WIDE_DECIMAL) {
      return null;
    }
    return kind.isNumber() ? onNumbers(test, column, values) : onTexts(test, column, values);
  }

  private Filter onNumbers(Test test, int column, Object[] values) {
    long[] numbers = new long[values.length];
    for (int index = 0; index < values.length; index++) {
      Long number = number(column, CatalystTypeConverters.convertToCatalyst(values[index]));
      if (number == null) {
        return null;
      }
      numbers[index] = number;
    }
    return Filter.onNumbers(test, column, kinds[column], numbers);
  }

  private Long number(int column, Object value) {
    if (value instanceof Boolean truth) {
      return truth ? 1L : 0L;
    } else if (value instanceof Decimal decimal && kinds[column] == Kind.DECIMAL) {
      int scale = Kind.scale(schema.columns().get(column).type());
      return decimal.scale() == scale ? (Long) decimal.toUnscaledLong() : null;
    } else if (value instanceof Number number && kinds[column] != Kind.DECIMAL) {
      return number.longValue();
    }
    return null;
  }

  private static Filter onTexts(Test test, int column, Object[] values) {
    byte[][] texts = new byte[values.length][];
    for (int index = 0; index < values.length; index++) {
      if (values[index] instanceof String text) {
        texts[index] = text.getBytes(StandardCharsets.UTF_8);
      } else if (values[index] instanceof UTF8String text) {
        texts[index] = text.getBytes();
      } else if (values[index] instanceof byte[] bytes) {
        texts[index] = bytes;
      } else {
        return null;
      }
    }
    return Filter.onTexts(test, column, texts);
  }
}
