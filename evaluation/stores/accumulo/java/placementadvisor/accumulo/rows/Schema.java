package placementadvisor.accumulo.rows;

import com.google.gson.Gson;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The columns of a table, those of them that are its key, and how rows are laid out. It is kept as
 * JSON in the table's own properties, so that it moves with the table's name.
 *
 * @param key the ordinals of the key's columns, in their order; none where rows are numbered
 * @param layout {@link #PACKED}, one entry a row, or {@link #COLUMNAR}, an entry a column
 */
public record Schema(List<Column> columns, List<Integer> key, String layout)
    implements Serializable {
  public static final String PACKED = "packed";
  public static final String COLUMNAR = "columnar";

  /** Returns the schema that {@link #json} wrote. */
  public static Schema of(String json) {
    Schema read = new Gson().fromJson(json, Schema.class);
    return new Schema(new ArrayList<>(read.columns), new ArrayList<>(read.key), read.layout);
  }

  /** Returns it as JSON. */
  public String json() {
    return new Gson().toJson(this);
  }

  /** Whether a row is one entry. */
  public boolean isPacked() {
    return PACKED.equals(layout);
  }

  /** Returns how the values of each column are kept. */
  public Kind[] kinds() {
    return columns.stream().map(Column::kind).toArray(Kind[]::new);
  }

  /** Returns the ordinal of a column, or -1. */
  public int ordinal(String name) {
    for (int column = 0; column < columns.size(); column++) {
      if (columns.get(column).name().equals(name)) {
        return column;
      }
    }
    return -1;
  }

  /** Returns the packed rows that have only some of the columns, in that order. */
  public Schema only(int[] ordinals) {
    List<Column> kept = new ArrayList<>();
    for (int ordinal : ordinals) {
      kept.add(columns.get(ordinal));
    }
    return new Schema(kept, new ArrayList<>(), PACKED);
  }
}
