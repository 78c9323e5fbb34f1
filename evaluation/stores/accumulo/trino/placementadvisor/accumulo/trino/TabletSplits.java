package placementadvisor.accumulo.trino;

import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.predicate.TupleDomain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Settings;
import placementadvisor.accumulo.scan.TabletRanges;

/**
 * The tablets that may have a wanted row.
 *
 * <p>A dynamic filter of the other side of a join is waited for, as long as Trino's connectors of
 * JDBC do: its values may be the beginnings of keys, and then few ranges are read.
 */
final class TabletSplits implements ConnectorSplitSource {
  private static final long PATIENCE_MS = 20_000;

  private final Instance instance;
  private final AccumuloTable table;
  private final DynamicFilter dynamic;
  private final long ends = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
  private Deque<ConnectorSplit> left;

  TabletSplits(Instance instance, AccumuloTable table, DynamicFilter dynamic) {
    this.instance = instance;
    this.table = table;
    this.dynamic = dynamic;
  }

  @Override
  public CompletableFuture<ConnectorSplitBatch> getNextBatch(int most) {
    long restMs = TimeUnit.NANOSECONDS.toMillis(ends - System.nanoTime());
    if (left == null && dynamic.isAwaitable() && restMs > 0) {
      ConnectorSplitBatch later = new ConnectorSplitBatch(List.of(), false);
      return dynamic
          .isBlocked()
          .thenApply(ignored -> later)
          .completeOnTimeout(later, restMs, TimeUnit.MILLISECONDS);
    }
    if (left == null) {
      left = instance.ask(this::tablets);
    }
    List<ConnectorSplit> batch = new ArrayList<>();
    while (batch.size() < most && !left.isEmpty()) {
      batch.add(left.remove());
    }
    return CompletableFuture.completedFuture(new ConnectorSplitBatch(batch, left.isEmpty()));
  }

  private Deque<ConnectorSplit> tablets() throws Exception {
    Deque<ConnectorSplit> found = new ArrayDeque<>();
    TupleDomain<AccumuloColumn> kept = table.kept().intersect(asked(dynamic));
    if (kept.isNone()) {
      return found;
    }
    Settings settings = instance.of(table.table());
    Schema schema = Schema.of(table.schema());
    for (TabletRanges each : TabletRanges.of(settings, schema, Filters.of(kept))) {
      found.add(AccumuloSplit.of(each));
    }
    return found;
  }

  /** Returns what is known of the rows that the other side of a join has a partner for. */
  static TupleDomain<AccumuloColumn> asked(DynamicFilter dynamic) {
    return dynamic.getCurrentPredicate().transformKeys(AccumuloColumn.class::cast);
  }

  @Override
  public void close() {
    left = new ArrayDeque<>();
  }

  @Override
  public boolean isFinished() {
    return left != null && left.isEmpty();
  }
}
