package placementadvisor.accumulo.trino;

import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.OptionalLong;
import org.apache.accumulo.core.client.TableNotFoundException;
import placementadvisor.accumulo.rows.Cells;
import placementadvisor.accumulo.rows.Kind;
import placementadvisor.accumulo.scan.TabletRanges;
import placementadvisor.accumulo.scan.TabletRows;
import placementadvisor.accumulo.scan.Wanted;

/** The rows of one split, a page at a time. */
final class TabletPages implements ConnectorPageSource {
  /** Rows looked at before Trino may do something else, whether any is kept or not. */
  private static final int ROWS_A_TURN = 10_000;

  private final Instance instance;
  private final Wanted wanted;
  private final TabletRows rows;
  private final String[] types;
  private final Kind[] kinds;
  private final List<Type> trino;
  private final PageBuilder page;
  private long bytes;
  private long positions;
  private long tookNs;
  private boolean isFinished;

  TabletPages(
      Instance instance, Wanted wanted, List<AccumuloColumn> columns, TabletRanges tablet)
      throws TableNotFoundException {
    this.instance = instance;
    this.wanted = wanted;
    types = columns.stream().map(AccumuloColumn::type).toArray(String[]::new);
    kinds = columns.stream().map(each -> Kind.of(each.type())).toArray(Kind[]::new);
    trino = columns.stream().map(each -> Types.of(each.type())).toList();
    page = new PageBuilder(trino);
    rows = TabletRows.of(wanted, tablet.ranges());
  }

  @Override
  public SourcePage getNextSourcePage() {
    long from = System.nanoTime();
    Page found = instance.ask(this::filled);
    tookNs += System.nanoTime() - from;
    if (found == null) {
      return null;
    }
    positions += found.getPositionCount();
    bytes += found.getSizeInBytes();
    return SourcePage.create(found);
  }

  /** Returns the next rows; null where none of those looked at is kept. */
  private Page filled() {
    int[] ordinals = rows.ordinals();
    for (int seen = 0; seen < ROWS_A_TURN && !page.isFull(); seen++) {
      Cells row = rows.next();
      if (row == null) {
        isFinished = true;
        break;
      }
      if (rows.isFiltered() || wanted.filter().keeps(row)) {
        page.declarePosition();
        for (int place = 0; place < ordinals.length; place++) {
          Types.write(
              trino.get(place),
              types[place],
              kinds[place],
              row,
              ordinals[place],
              page.getBlockBuilder(place));
        }
      }
    }
    if (page.isEmpty()) {
      return null;
    }
    Page found = page.build();
    page.reset();
    return found;
  }

  @Override
  public boolean isFinished() {
    return isFinished;
  }

  @Override
  public long getCompletedBytes() {
    return bytes;
  }

  @Override
  public OptionalLong getCompletedPositions() {
    return OptionalLong.of(positions);
  }

  @Override
  public long getReadTimeNanos() {
    return tookNs;
  }

  @Override
  public long getMemoryUsage() {
    return page.getRetainedSizeInBytes();
  }

  @Override
  public void close() {
    rows.close();
  }
}
