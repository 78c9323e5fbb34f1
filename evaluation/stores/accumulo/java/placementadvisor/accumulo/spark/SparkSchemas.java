package placementadvisor.accumulo.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import placementadvisor.accumulo.rows.Column;
import placementadvisor.accumulo.rows.Schema;

/** Schemas as Spark's. */
final class SparkSchemas {
  private SparkSchemas() {}

  /** Returns the columns with these ordinals, in that order. */
  static StructType of(Schema schema, int[] ordinals) {
    StructType found = new StructType();
    for (int ordinal : ordinals) {
      Column column = schema.columns().get(ordinal);
      found = found.add(column.name(), DataType.fromDDL(column.type()), true);
    }
    return found;
  }

  /** Returns the schema of a table that is to be made. */
  static Schema of(StructType columns, List<String> key, String layout) {
    List<Column> found = new ArrayList<>();
    for (StructField field : columns.fields()) {
      found.add(new Column(field.name(), field.dataType().catalogString()));
    }
    Schema bare = new Schema(found, List.of(), layout);
    List<Integer> ordinals = new ArrayList<>();
    for (String name : key) {
      if (bare.ordinal(name) < 0) {
        throw new IllegalArgumentException("the key's column '" + name + "' is not among the columns");
      }
      ordinals.add(bare.ordinal(name));
    }
    return new Schema(found, ordinals, layout);
  }
}
