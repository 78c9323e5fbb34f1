package placementadvisor.accumulo.rows;

/** The values of one row, by the ordinals of their columns. */
public interface Cells {
  /** Whether the value is NULL; then it has no other. */
  boolean isNull(int column);

  /** Returns a value that is kept as a number (see {@link Kind#isNumber}). */
  long number(int column);

  /** Returns the array that holds a value kept as bytes, from {@link #start} to {@link #end}. */
  byte[] buffer(int column);

  /** Returns where the value begins in its array. */
  int start(int column);

  /** Returns where it ends. */
  int end(int column);
}
