package placementadvisor.accumulo.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import placementadvisor.accumulo.rows.Filter;
import placementadvisor.accumulo.rows.Schema;

/** Makes the readers of tasks. */
record TabletReaders(Settings settings, Schema schema, int[] columns, Filter filter)
    implements PartitionReaderFactory {
  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    return new TabletReader(this, (TabletPart) partition);
  }
}
