package placementadvisor.accumulo.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import placementadvisor.accumulo.scan.Wanted;

/** Makes the readers of tasks. */
record TabletReaders(Wanted wanted) implements PartitionReaderFactory {
  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    return new TabletReader(wanted, ((TabletPart) partition).tablet());
  }
}
