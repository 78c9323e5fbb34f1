package placementadvisor.accumulo.trino;

import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.DynamicFilter;

/** Cuts the scan of a table into one split for each tablet. */
record AccumuloSplitManager(Instance instance) implements ConnectorSplitManager {
  @Override
  public ConnectorSplitSource getSplits(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      ConnectorTableHandle table,
      DynamicFilter dynamic,
      Constraint constraint) {
    return new TabletSplits(instance, (AccumuloTable) table, dynamic);
  }
}
