package placementadvisor.accumulo.trino;

import io.airlift.slice.Slice;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import placementadvisor.accumulo.rows.Filter;
import placementadvisor.accumulo.rows.Filter.Test;
import placementadvisor.accumulo.rows.Kind;

/** What Trino wants of rows as our filters. */
final class Filters {
  /** Ranges of one column beyond which Trino tests its values. */
  private static final int MOST_RANGES = 100;

  private Filters() {}

  /** Returns filters that all have to be met; what we do not test the same way is left out. */
  static List<Filter> of(TupleDomain<AccumuloColumn> wanted) {
    List<Filter> found = new ArrayList<>();
    wanted.getDomains().orElse(Map.of()).forEach((column, domain) -> {
      List<Filter> own = of(column, domain);
      if (own != null) {
        found.addAll(own);
      }
    });
    return found;
  }

  /** Returns the filters of one column; null where Trino has to test it. */
  static List<Filter> of(AccumuloColumn column, Domain domain) {
    Kind kind = Kind.of(column.type());
    // Trino has an order of its own for NaN; a point of time and a wide decimal are no numbers.
    if (kind.isFloating() || kind == Kind.WIDE_DECIMAL || Types.hasZone(column.type())) {
      return null;
    }
    Filter isNull = Filter.isNull(column.ordinal(), kind);
    if (domain.isOnlyNull()) {
      return List.of(isNull);
    }
    ValueSet values = domain.getValues();
    if (values.isAll()) {
      return domain.isNullAllowed() ? List.of() : List.of(Filter.of(Test.NOT, List.of(isNull)));
    }
    List<Filter> known = known(column.ordinal(), kind, values);
    if (known == null || !domain.isNullAllowed()) {
      return known;
    }
    return List.of(Filter.of(Test.OR, List.of(isNull, all(known))));
  }

  private static List<Filter> known(int column, Kind kind, ValueSet values) {
    if (values.isDiscreteSet()) {
      return List.of(compared(Test.IN, column, kind, values.getDiscreteSet()));
    }
    List<Range> ranges = values.getRanges().getOrderedRanges();
    if (ranges.size() == 1) {
      return between(column, kind, ranges.get(0));
    }
    if (ranges.size() > MOST_RANGES) {
      return null;
    }
    List<Filter> any = new ArrayList<>();
    for (Range each : ranges) {
      any.add(all(between(column, kind, each)));
    }
    return List.of(Filter.of(Test.OR, any));
  }

  private static Filter all(List<Filter> filters) {
    return filters.size() == 1 ? filters.get(0) : Filter.of(Test.AND, filters);
  }

  /** Returns the comparisons of a range that has a bound. */
  private static List<Filter> between(int column, Kind kind, Range range) {
    if (range.isSingleValue()) {
      return List.of(compared(Test.IN, column, kind, List.of(range.getSingleValue())));
    }
    List<Filter> found = new ArrayList<>();
    if (!range.isLowUnbounded()) {
      Test test = range.isLowInclusive() ? Test.GREATER_OR_EQUAL : Test.GREATER;
      found.add(compared(test, column, kind, List.of(range.getLowBoundedValue())));
    }
    if (!range.isHighUnbounded()) {
      Test test = range.isHighInclusive() ? Test.LESS_OR_EQUAL : Test.LESS;
      found.add(compared(test, column, kind, List.of(range.getHighBoundedValue())));
    }
    return found;
  }

  private static Filter compared(Test test, int column, Kind kind, List<Object> values) {
    if (kind.isNumber()) {
      return Filter.onNumbers(
          test, column, kind, values.stream().mapToLong(Filters::number).toArray());
    }
    byte[][] texts =
        values.stream().map(each -> ((Slice) each).getBytes()).toArray(byte[][]::new);
    return Filter.onTexts(test, column, texts);
  }

  private static long number(Object value) {
    return value instanceof Boolean truth ? (truth ? 1L : 0L) : (Long) value;
  }
}
