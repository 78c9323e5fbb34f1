package placementadvisor.accumulo.rows;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.accumulo.core.data.Mutation;

/**
 * Rows as entries of a table, in either layout.
 *
 * <p>A packed row is one entry. A columnar one is an entry without a qualifier, which comes first,
 * and one for each value that is not NULL, qualified by the column's ordinal.
 */
public final class Entries {
  /** The family of all entries. */
  public static final byte[] FAMILY = new byte[0];

  /** The qualifier of a packed row, and of the entry that begins a columnar one. */
  public static final byte[] ROW = new byte[0];

  private final Schema schema;
  private final Kind[] kinds;
  private final RowKey keys;
  private final Packing packing;

  /** Makes the entries of a table's rows. */
  public Entries(Schema schema) {
    this.schema = schema;
    kinds = schema.kinds();
    keys = new RowKey(schema);
    packing = new Packing(kinds);
  }

  /** Returns the change that adds a row; `number` is its key where the table has none. */
  public Mutation adding(Cells row, long number) {
    Mutation added = new Mutation(keys.of(row, number));
    if (schema.isPacked()) {
      added.put(FAMILY, ROW, packing.pack(row));
      return added;
    }
    added.put(FAMILY, ROW, ROW);
    for (int column = 0; column < kinds.length; column++) {
      if (!row.isNull(column)) {
        added.put(FAMILY, qualifier(column), value(row, column));
      }
    }
    return added;
  }

  /** Returns the qualifier of a column's entries. */
  public static byte[] qualifier(int column) {
    return ByteBuffer.allocate(Short.BYTES).putShort((short) column).array();
  }

  private byte[] value(Cells row, int column) {
    if (kinds[column].isNumber()) {
      return ByteBuffer.allocate(Long.BYTES).putLong(row.number(column)).array();
    }
    int start = row.start(column);
    return Arrays.copyOfRange(row.buffer(column), start, row.end(column));
  }
}
