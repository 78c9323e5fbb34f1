package placementadvisor.accumulo.rows;

import java.util.Arrays;

/** A row that is filled value by value; it may be used again for the next one. */
public final class Row implements Cells {
  private final boolean[] known;
  private final long[] numbers;
  private final byte[][] bytes;

  /** Makes a row of NULLs. */
  public Row(int columns) {
    known = new boolean[columns];
    numbers = new long[columns];
    bytes = new byte[columns][];
  }

  /** Makes every value NULL. */
  public void clear() {
    Arrays.fill(known, false);
  }

  /** Sets a value that is kept as a number. */
  public void set(int column, long number) {
    known[column] = true;
    numbers[column] = number;
  }

  /** Sets a value that is kept as bytes. */
  public void set(int column, byte[] value) {
    known[column] = true;
    bytes[column] = value;
  }

  @Override
  public boolean isNull(int column) {
    return !known[column];
  }

  @Override
  public long number(int column) {
    return numbers[column];
  }

  @Override
  public byte[] buffer(int column) {
    return bytes[column];
  }

  @Override
  public int start(int column) {
    return 0;
  }

  @Override
  public int end(int column) {
    return bytes[column].length;
  }
}
