package placementadvisor.accumulo.spark;

import java.io.IOException;
import org.apache.accumulo.core.client.BatchWriter;
import org.apache.accumulo.core.client.MutationsRejectedException;
import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import placementadvisor.accumulo.control.Load;
import placementadvisor.accumulo.rows.Entries;
import placementadvisor.accumulo.rows.Kind;
import placementadvisor.accumulo.rows.Row;

/** Writes the rows of one task. */
final class TaskWriter implements DataWriter<InternalRow> {
  /** How many rows of a table without a key a task may number. */
  private static final int NUMBER_BITS = 40;

  private final BatchWriter writer;
  private final Entries entries;
  private final Kind[] kinds;
  private final DataType[] types;
  private final Row row;
  private final long first;
  private long rows;

  TaskWriter(TaskWriters asked, int partition) throws TableNotFoundException {
    writer = asked.settings().client().createBatchWriter(asked.table(), Load.settings(1));
    entries = new Entries(asked.schema());
    kinds = asked.schema().kinds();
    types =
        asked.schema().columns().stream()
            .map(column -> DataType.fromDDL(column.type()))
            .toArray(DataType[]::new);
    row = new Row(kinds.length);
    first = (long) partition << NUMBER_BITS;
  }

  @Override
  public void write(InternalRow values) throws IOException {
    row.clear();
    for (int column = 0; column < kinds.length; column++) {
      if (!values.isNullAt(column)) {
        set(column, values);
      }
    }
    try {
      writer.addMutation(entries.adding(row, first + rows));
    } catch (MutationsRejectedException error) {
      throw new IOException(error);
    }
    rows++;
  }

  private void set(int column, InternalRow values) {
    switch (kinds[column]) {
      case BOOLEAN -> row.set(column, values.getBoolean(column) ? 1 : 0);
      case BYTE -> row.set(column, values.getByte(column));
      case SHORT -> row.set(column, values.getShort(column));
      case INT, DATE -> row.set(column, values.getInt(column));
      case LONG, TIMESTAMP -> row.set(column, values.getLong(column));
      case FLOAT -> row.set(column, Float.floatToIntBits(values.getFloat(column)));
      case DOUBLE -> row.set(column, Double.doubleToLongBits(values.getDouble(column)));
      case TEXT -> row.set(column, values.getUTF8String(column).getBytes());
      case BINARY -> row.set(column, values.getBinary(column));
      default -> {
        DecimalType type = (DecimalType) types[column];
        var value = values.getDecimal(column, type.precision(), type.scale());
        if (kinds[column] == Kind.DECIMAL) {
          row.set(column, value.toUnscaledLong());
        } else {
          row.set(column, value.toJavaBigDecimal().unscaledValue().toByteArray());
        }
      }
    }
  }

  @Override
  public WriterCommitMessage commit() throws IOException {
    try {
      writer.close();
    } catch (MutationsRejectedException error) {
      throw new IOException(error);
    }
    return new Written(rows);
  }

  @Override
  public void abort() throws IOException {
    close();
  }

  @Override
  public void close() throws IOException {
    try {
      writer.close();
    } catch (MutationsRejectedException error) {
      throw new IOException(error);
    }
  }

  /** How many rows a task has written. */
  record Written(long rows) implements WriterCommitMessage {}
}
