package placementadvisor.accumulo.trino;

import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.transaction.IsolationLevel;

/** One Accumulo as a catalog, to be read alone. */
final class AccumuloConnector implements Connector {
  private enum Reading implements ConnectorTransactionHandle {
    ONLY
  }

  private final Instance instance;

  AccumuloConnector(Instance instance) {
    this.instance = instance;
  }

  @Override
  public ConnectorTransactionHandle beginTransaction(
      IsolationLevel level, boolean readOnly, boolean autoCommit) {
    return Reading.ONLY;
  }

  @Override
  public ConnectorMetadata getMetadata(
      ConnectorSession session, ConnectorTransactionHandle transaction) {
    return new AccumuloMetadata(instance);
  }

  @Override
  public ConnectorSplitManager getSplitManager() {
    return new AccumuloSplitManager(instance);
  }

  @Override
  public ConnectorPageSourceProvider getPageSourceProvider() {
    return new AccumuloPageSourceProvider(instance);
  }
}
