package placementadvisor.accumulo.rows;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Rows as one array of bytes, of which any value is found without reading those before it.
 *
 * <p>First a bit a column that is set for NULL, then a slot a column: eight bytes with the number,
 * or four with the place where the value's bytes end. Those bytes follow, in the order of columns.
 */
public final class Packing {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final int BITS = 8;

  private final boolean[] isNumber;
  private final int[] slots;
  /** The slot of the column with bytes before each, or -1. */
  private final int[] before;
  private final int fixed;

  /** Makes the packing of rows whose values are kept so. */
  public Packing(Kind[] kinds) {
    isNumber = new boolean[kinds.length];
    slots = new int[kinds.length];
    before = new int[kinds.length];
    int place = (kinds.length + BITS - 1) / BITS;
    int last = -1;
    for (int column = 0; column < kinds.length; column++) {
      isNumber[column] = kinds[column].isNumber();
      slots[column] = place;
      before[column] = last;
      if (isNumber[column]) {
        place += Long.BYTES;
      } else {
        last = place;
        place += Integer.BYTES;
      }
    }
    fixed = place;
  }

  /** Returns the values as bytes. */
  public byte[] pack(Cells row) {
    int size = fixed;
    for (int column = 0; column < slots.length; column++) {
      if (!isNumber[column] && !row.isNull(column)) {
        size += row.end(column) - row.start(column);
      }
    }
    byte[] packed = new byte[size];
    int place = fixed;
    for (int column = 0; column < slots.length; column++) {
      boolean isNull = row.isNull(column);
      if (isNull) {
        packed[column / BITS] |= (byte) (1 << column % BITS);
      }
      if (!isNumber[column]) {
        if (!isNull) {
          int length = row.end(column) - row.start(column);
          System.arraycopy(row.buffer(column), row.start(column), packed, place, length);
          place += length;
        }
        INT.set(packed, slots[column], place);
      } else if (!isNull) {
        LONG.set(packed, slots[column], row.number(column));
      }
    }
    return packed;
  }

  /** Returns a view of packed rows, one at a time. */
  public Packed view() {
    return new Packed();
  }

  /** The values of the packed row that was given last. */
  public final class Packed implements Cells {
    private byte[] packed;
    private int origin;

    /** Shows another row, and returns this. */
    public Packed of(byte[] row) {
      return of(row, 0);
    }

    /** Shows the row that begins at `start` in an array of several, and returns this. */
    public Packed of(byte[] rows, int start) {
      packed = rows;
      origin = start;
      return this;
    }

    /** Returns a view that another thread may use. */
    public Packed copy() {
      return new Packed();
    }

    @Override
    public boolean isNull(int column) {
      return (packed[origin + column / BITS] & 1 << column % BITS) != 0;
    }

    @Override
    public long number(int column) {
      return (long) LONG.get(packed, origin + slots[column]);
    }

    @Override
    public byte[] buffer(int column) {
      return packed;
    }

    @Override
    public int start(int column) {
      return origin + (before[column] < 0 ? fixed : (int) INT.get(packed, origin + before[column]));
    }

    @Override
    public int end(int column) {
      return origin + (int) INT.get(packed, origin + slots[column]);
    }
  }
}
