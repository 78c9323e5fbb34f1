package placementadvisor.accumulo.spark;

import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Settings;

/** Makes the writers of tasks. */
record TaskWriters(Settings settings, String table, Schema schema) implements DataWriterFactory {
  @Override
  public DataWriter<InternalRow> createWriter(int partition, long task) {
    try {
      return new TaskWriter(this, partition);
    } catch (TableNotFoundException error) {
      throw new IllegalStateException(error);
    }
  }
}
