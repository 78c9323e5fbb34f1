package placementadvisor.accumulo.trino;

import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorContext;
import io.trino.spi.connector.ConnectorFactory;
import java.util.Map;

/** Makes a connector for each catalog whose file names it. */
final class AccumuloConnectorFactory implements ConnectorFactory {
  /** The name in a catalog's file. */
  static final String NAME = "placement_advisor_accumulo";

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public Connector create(String catalog, Map<String, String> settings, ConnectorContext context) {
    return new AccumuloConnector(new Instance(settings));
  }
}
