package placementadvisor.accumulo.rows;

import java.io.ByteArrayOutputStream;

/**
 * Keys as bytes that are in the order of the values: so that ranges of values are ranges of rows.
 *
 * <p>Each column begins with 0 for NULL or 1. Numbers follow with their sign turned, floating-point
 * ones with all bits of negative values turned; text with its zeros marked, and an end. Rows of a
 * table without a key are numbered.
 */
public final class RowKey {
  private static final int ABSENT = 0;
  private static final int PRESENT = 1;
  private static final int MARK = 0xff;

  private final Kind[] kinds;
  private final int[] columns;

  /** Makes the encoding of a table's keys. */
  public RowKey(Schema schema) {
    kinds = schema.kinds();
    columns = schema.key().stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns the key of a row, or of its number where the table has none. */
  public byte[] of(Cells row, long number) {
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    if (columns.length == 0) {
      write(key, number);
    }
    for (int column : columns) {
      if (row.isNull(column)) {
        key.write(ABSENT);
      } else if (kinds[column].isNumber()) {
        append(key, kinds[column], row.number(column));
      } else {
        append(key, row.buffer(column), row.start(column), row.end(column));
      }
    }
    return key.toByteArray();
  }

  /** Returns the key of a row of a table without a key. */
  public static byte[] numbered(long number) {
    ByteArrayOutputStream key = new ByteArrayOutputStream(Long.BYTES);
    write(key, number);
    return key.toByteArray();
  }

  /** Returns what the keys begin with that have these values in their first columns. */
  public static byte[] prefix(byte[] before, Kind kind, Object value) {
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    key.writeBytes(before);
    if (value instanceof byte[] bytes) {
      append(key, bytes, 0, bytes.length);
    } else {
      append(key, kind, (Long) value);
    }
    return key.toByteArray();
  }

  /** Returns what the keys begin with whose next column is not NULL. */
  public static byte[] known(byte[] before) {
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    key.writeBytes(before);
    key.write(PRESENT);
    return key.toByteArray();
  }

  private static void append(ByteArrayOutputStream key, Kind kind, long number) {
    key.write(PRESENT);
    write(key, kind.isFloating() ? floating(kind, number) : number);
  }

  private static void append(ByteArrayOutputStream key, byte[] bytes, int start, int end) {
    key.write(PRESENT);
    for (int place = start; place < end; place++) {
      key.write(bytes[place]);
      if (bytes[place] == 0) {
        key.write(MARK);
      }
    }
    key.write(0);
    key.write(0);
  }

  /** Returns the bits of a floating-point value, as a number in the same order. */
  private static long floating(Kind kind, long bits) {
    double value = kind == Kind.FLOAT ? Float.intBitsToFloat((int) bits) : Double.longBitsToDouble(bits);
    // Zero has two spellings, of which Spark takes both for one.
    long ordered = Double.doubleToLongBits(value == 0 ? 0.0 : value);
    return ordered < 0 ? ordered ^ Long.MAX_VALUE : ordered;
  }

  private static void write(ByteArrayOutputStream key, long number) {
    long turned = number ^ Long.MIN_VALUE;
    for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      key.write((int) (turned >>> shift));
    }
  }
}
