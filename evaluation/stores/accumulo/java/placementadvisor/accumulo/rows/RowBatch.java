package placementadvisor.accumulo.rows;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Packed rows in one array of bytes, each behind its length. */
public final class RowBatch {
  /** The most rows of a batch. */
  public static final int MOST_ROWS = 1_000;

  private static final int ENOUGH_BYTES = 64 << 10;

  private byte[] bytes = new byte[ENOUGH_BYTES];
  private int size;
  private int rows;

  /** Whether another row should begin another batch. */
  public boolean isFull() {
    return rows == MOST_ROWS || size >= ENOUGH_BYTES;
  }

  /** Whether there is no row in it. */
  public boolean isEmpty() {
    return rows == 0;
  }

  /** Adds a row. */
  public void add(byte[] row) {
    int needed = size + Integer.BYTES + row.length;
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
    }
    ByteBuffer.wrap(bytes, size, Integer.BYTES + row.length).putInt(row.length).put(row);
    size = needed;
    rows++;
  }

  /** Returns the rows as bytes, and begins another batch. */
  public byte[] taken() {
    byte[] found = Arrays.copyOf(bytes, size);
    size = 0;
    rows = 0;
    return found;
  }

  /** Returns where in a batch the row begins whose length stands at `place`. */
  public static int start(int place) {
    return place + Integer.BYTES;
  }

  /** Returns where the length of the row after that stands; the batch's own length at its end. */
  public static int next(byte[] batch, int place) {
    return start(place) + ByteBuffer.wrap(batch, place, Integer.BYTES).getInt();
  }
}
