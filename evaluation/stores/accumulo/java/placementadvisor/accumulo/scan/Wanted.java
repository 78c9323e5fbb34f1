package placementadvisor.accumulo.scan;

import java.io.Serializable;
import java.util.List;
import placementadvisor.accumulo.rows.Filter;
import placementadvisor.accumulo.rows.Schema;

/**
 * What is wanted of a table.
 *
 * @param schema the table's own
 * @param columns the ordinals of the columns, in the order that they are wanted in
 * @param filter what rows have to meet; null for all
 */
public record Wanted(Settings settings, Schema schema, int[] columns, Filter filter)
    implements Serializable {
  /** Returns the filter that all of these make together; null for none. */
  public static Filter all(List<Filter> filters) {
    return switch (filters.size()) {
      case 0 -> null;
      case 1 -> filters.get(0);
      default -> Filter.of(Filter.Test.AND, filters);
    };
  }
}
