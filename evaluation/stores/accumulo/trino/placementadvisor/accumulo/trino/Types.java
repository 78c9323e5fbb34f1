package placementadvisor.accumulo.trino;

import io.airlift.slice.Slices;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.BooleanType;
import io.trino.spi.type.DateType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.RealType;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.TimeZoneKey;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;
import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import placementadvisor.accumulo.rows.Cells;
import placementadvisor.accumulo.rows.Kind;

/** Types of columns, and their values, as Trino has them. */
final class Types {
  private static final Pattern SCALED = Pattern.compile("decimal\\((\\d+), ?(\\d+)\\)");
  private static final String WITH_ZONE = "timestamp";
  private static final int MICROSECONDS = 6;
  private static final long MILLISECOND = 1_000;
  private static final int PICOSECONDS_OF_MICROSECOND = 1_000_000;

  private Types() {}

  /** Returns Trino's type for one that Spark's DDL spells. */
  static Type of(String type) {
    return switch (Kind.of(type)) {
      case BOOLEAN -> BooleanType.BOOLEAN;
      case BYTE -> TinyintType.TINYINT;
      case SHORT -> SmallintType.SMALLINT;
      case INT -> IntegerType.INTEGER;
      case LONG -> BigintType.BIGINT;
      case FLOAT -> RealType.REAL;
      case DOUBLE -> DoubleType.DOUBLE;
      case DATE -> DateType.DATE;
      case TIMESTAMP -> hasZone(type)
          ? TimestampWithTimeZoneType.createTimestampWithTimeZoneType(MICROSECONDS)
          : TimestampType.TIMESTAMP_MICROS;
      case DECIMAL, WIDE_DECIMAL -> decimal(type);
      case TEXT -> VarcharType.VARCHAR;
      case BINARY -> VarbinaryType.VARBINARY;
    };
  }

  /** Whether values are points of time, and not readings of a clock. */
  static boolean hasZone(String type) {
    return type.equals(WITH_ZONE);
  }

  private static Type decimal(String type) {
    Matcher scaled = SCALED.matcher(type);
    if (!scaled.matches()) {
      throw new IllegalArgumentException(type + " is no decimal");
    }
    return DecimalType.createDecimalType(
        Integer.parseInt(scaled.group(1)), Integer.parseInt(scaled.group(2)));
  }

  /** Writes a row's value, which has `type` as DDL spells it. */
  static void write(Type trino, String type, Kind kind, Cells row, int column, BlockBuilder to) {
    if (row.isNull(column)) {
      to.appendNull();
      return;
    }
    switch (kind) {
      case BOOLEAN -> trino.writeBoolean(to, row.number(column) != 0);
      case DOUBLE -> trino.writeDouble(to, Double.longBitsToDouble(row.number(column)));
      case TIMESTAMP -> {
        if (hasZone(type)) {
          trino.writeObject(to, moment(row.number(column)));
        } else {
          trino.writeLong(to, row.number(column));
        }
      }
      case TEXT, BINARY -> {
        int start = row.start(column);
        trino.writeSlice(
            to, Slices.wrappedBuffer(row.buffer(column), start, row.end(column) - start));
      }
      case WIDE_DECIMAL -> {
        int start = row.start(column);
        BigInteger unscaled =
            new BigInteger(row.buffer(column), start, row.end(column) - start);
        trino.writeObject(to, Int128.valueOf(unscaled));
      }
      // A REAL is the bits of a float too.
      default -> trino.writeLong(to, row.number(column));
    }
  }

  private static LongTimestampWithTimeZone moment(long microseconds) {
    return LongTimestampWithTimeZone.fromEpochMillisAndFraction(
        Math.floorDiv(microseconds, MILLISECOND),
        (int) Math.floorMod(microseconds, MILLISECOND) * PICOSECONDS_OF_MICROSECOND,
        TimeZoneKey.UTC_KEY);
  }
}
