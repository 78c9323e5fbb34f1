package placementadvisor.accumulo.trino;

import io.trino.spi.Plugin;
import io.trino.spi.connector.ConnectorFactory;
import java.util.List;

/** What Trino loads: a connector to the tables that the advisor has loaded into an Accumulo. */
public final class AccumuloPlugin implements Plugin {
  @Override
  public Iterable<ConnectorFactory> getConnectorFactories() {
    return List.of(new AccumuloConnectorFactory());
  }
}
