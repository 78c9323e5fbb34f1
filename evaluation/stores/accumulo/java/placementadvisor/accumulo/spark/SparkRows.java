package placementadvisor.accumulo.spark;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import placementadvisor.accumulo.rows.Cells;
import placementadvisor.accumulo.rows.Kind;
import placementadvisor.accumulo.rows.Schema;

/** Our rows as Spark's. */
final class SparkRows {
  private final Kind[] kinds;
  private final DataType[] types;
  private final int[] ordinals;
  private final UnsafeRowWriter writer;

  /** Converts rows that have column `columns[n]` of the schema at the place `ordinals[n]`. */
  SparkRows(Schema schema, int[] columns, int[] ordinals) {
    this.ordinals = ordinals;
    kinds = new Kind[columns.length];
    types = new DataType[columns.length];
    for (int place = 0; place < columns.length; place++) {
      String type = schema.columns().get(columns[place]).type();
      kinds[place] = Kind.of(type);
      types[place] = DataType.fromDDL(type);
    }
    writer = new UnsafeRowWriter(columns.length);
  }

  /** Returns the row, which is good until the next one. */
  InternalRow of(Cells row) {
    writer.reset();
    writer.zeroOutNullBytes();
    for (int place = 0; place < ordinals.length; place++) {
      int column = ordinals[place];
      if (!row.isNull(column)) {
        write(place, row, column);
      } else if (kinds[place] == Kind.WIDE_DECIMAL) {
        write(place, (Decimal) null);
      } else {
        writer.setNullAt(place);
      }
    }
    return writer.getRow();
  }

  private void write(int place, Cells row, int column) {
    switch (kinds[place]) {
      case BOOLEAN -> writer.write(place, row.number(column) != 0);
      case BYTE -> writer.write(place, (byte) row.number(column));
      case SHORT -> writer.write(place, (short) row.number(column));
      case INT, DATE -> writer.write(place, (int) row.number(column));
      case LONG, TIMESTAMP, DECIMAL -> writer.write(place, row.number(column));
      case FLOAT -> writer.write(place, Float.intBitsToFloat((int) row.number(column)));
      case DOUBLE -> writer.write(place, Double.longBitsToDouble(row.number(column)));
      case WIDE_DECIMAL -> write(place, decimal((DecimalType) types[place], row, column));
      default -> {
        int start = row.start(column);
        writer.write(place, row.buffer(column), start, row.end(column) - start);
      }
    }
  }

  private void write(int place, Decimal value) {
    DecimalType type = (DecimalType) types[place];
    writer.write(place, value, type.precision(), type.scale());
  }

  private static Decimal decimal(DecimalType type, Cells row, int column) {
    int start = row.start(column);
    BigInteger unscaled = new BigInteger(row.buffer(column), start, row.end(column) - start);
    BigDecimal value = new BigDecimal(unscaled, type.scale());
    return Decimal.apply(new scala.math.BigDecimal(value), type.precision(), type.scale());
  }
}
