package placementadvisor.accumulo.trino;

import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.EmptyPageSource;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Wanted;

/** Opens the scans of splits. */
record AccumuloPageSourceProvider(Instance instance) implements ConnectorPageSourceProvider {
  @Override
  public ConnectorPageSource createPageSource(
      ConnectorTransactionHandle transaction,
      ConnectorSession session,
      ConnectorSplit split,
      ConnectorTableHandle handle,
      List<ColumnHandle> columns,
      DynamicFilter dynamic) {
    AccumuloTable table = (AccumuloTable) handle;
    TupleDomain<AccumuloColumn> kept = table.kept().intersect(TabletSplits.asked(dynamic));
    if (kept.isNone()) {
      return new EmptyPageSource();
    }
    List<AccumuloColumn> read = columns.stream().map(AccumuloColumn.class::cast).toList();
    Wanted wanted =
        new Wanted(
            instance.of(table.table()),
            Schema.of(table.schema()),
            read.stream().mapToInt(AccumuloColumn::ordinal).toArray(),
            Wanted.all(Filters.of(kept)));
    return instance.ask(
        () -> new TabletPages(instance, wanted, read, ((AccumuloSplit) split).tablet()));
  }
}
