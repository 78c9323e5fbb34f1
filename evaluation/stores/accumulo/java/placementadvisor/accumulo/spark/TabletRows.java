package placementadvisor.accumulo.spark;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.BatchScanner;
import org.apache.accumulo.core.client.IteratorSetting;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.client.ScannerBase;
import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Range;
import org.apache.accumulo.core.data.Value;
import org.apache.accumulo.core.security.Authorizations;
import placementadvisor.accumulo.rows.Cells;
import placementadvisor.accumulo.rows.ColumnarRows;
import placementadvisor.accumulo.rows.Filter;
import placementadvisor.accumulo.rows.Packing;
import placementadvisor.accumulo.rows.RowBatch;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.rows.Selection;

/** The rows of some ranges of a tablet, as they are stored or as the server hands them out. */
abstract class TabletRows implements AutoCloseable {
  private static final int PRIORITY = 100;

  private final ScannerBase scanner;

  TabletRows(ScannerBase scanner) {
    this.scanner = scanner;
  }

  /** Opens the scan of what is asked. */
  static TabletRows of(TabletReaders asked, List<Range> ranges) throws TableNotFoundException {
    if (!asked.schema().isPacked()) {
      return new Columnar(asked, ranges);
    }
    return asked.settings().inServers() ? new Batched(asked, ranges) : new Packed(asked, ranges);
  }

  /** Returns the next row, which is good until the one after it; null at the end. */
  abstract Cells next();

  /** Returns where in a row each of the columns is that were asked for. */
  abstract int[] ordinals();

  /** Whether rows are only those that the filter keeps. */
  abstract boolean isFiltered();

  @Override
  public void close() {
    scanner.close();
  }

  /**
   * Opens one scan of several ranges; rows of each come in order only where there is one.
   *
   * @param rowsPerEntry how many rows an entry has at most; a share of one where rows have several
   */
  private static ScannerBase open(TabletReaders asked, List<Range> ranges, double rowsPerEntry)
      throws TableNotFoundException {
    Settings settings = asked.settings();
    AccumuloClient client = settings.client();
    ScannerBase opened;
    if (ranges.size() == 1) {
      Scanner scanner = client.createScanner(settings.table(), Authorizations.EMPTY);
      scanner.setRange(ranges.get(0));
      scanner.setBatchSize((int) Math.max(1, settings.batch() / rowsPerEntry));
      // The next batch is asked for while the first is read.
      scanner.setReadaheadThreshold(0);
      opened = scanner;
    } else {
      BatchScanner scanner = client.createBatchScanner(settings.table(), Authorizations.EMPTY, 1);
      scanner.setRanges(ranges);
      opened = scanner;
    }
    if (settings.timeoutS() > 0) {
      opened.setTimeout(Math.round(settings.timeoutS() * 1000), TimeUnit.MILLISECONDS);
    }
    return opened;
  }

  /** Packed rows as they are stored. */
  private static final class Packed extends TabletRows {
    private final Iterator<Map.Entry<Key, Value>> entries;
    private final Packing.Packed row;
    private final int[] ordinals;
    private final boolean isFiltered;

    Packed(TabletReaders asked, List<Range> ranges) throws TableNotFoundException {
      this(asked, open(asked, ranges, 1));
    }

    private Packed(TabletReaders asked, ScannerBase scanner) {
      super(scanner);
      ordinals = asked.columns();
      row = new Packing(asked.schema().kinds()).view();
      isFiltered = asked.filter() == null;
      entries = scanner.iterator();
    }

    @Override
    Cells next() {
      return entries.hasNext() ? row.of(entries.next().getValue().get()) : null;
    }

    @Override
    int[] ordinals() {
      return ordinals;
    }

    @Override
    boolean isFiltered() {
      return isFiltered;
    }
  }

  /** Packed rows that the server has filtered and cut, many in an entry. */
  private static final class Batched extends TabletRows {
    private final Iterator<Map.Entry<Key, Value>> entries;
    private final Packing.Packed row;
    private final int[] ordinals;
    private byte[] batch = {};
    private int place;

    Batched(TabletReaders asked, List<Range> ranges) throws TableNotFoundException {
      this(asked, open(asked, ranges, RowBatch.MOST_ROWS));
    }

    private Batched(TabletReaders asked, ScannerBase scanner) {
      super(scanner);
      int[] columns = asked.columns();
      ordinals = IntStream.range(0, columns.length).toArray();
      row = new Packing(asked.schema().only(columns).kinds()).view();
      scanner.addScanIterator(selection(asked));
      entries = scanner.iterator();
    }

    private static IteratorSetting selection(TabletReaders asked) {
      IteratorSetting setting = new IteratorSetting(PRIORITY, "selection", Selection.class);
      setting.addOption(Selection.SCHEMA, asked.schema().json());
      setting.addOption(
          Selection.COLUMNS,
          Arrays.stream(asked.columns()).mapToObj(String::valueOf).collect(Collectors.joining(",")));
      if (asked.filter() != null) {
        setting.addOption(Selection.FILTER, asked.filter().json());
      }
      return setting;
    }

    @Override
    Cells next() {
      if (place == batch.length) {
        if (!entries.hasNext()) {
          return null;
        }
        batch = entries.next().getValue().get();
        place = 0;
      }
      Cells found = row.of(batch, RowBatch.start(place));
      place = RowBatch.next(batch, place);
      return found;
    }

    @Override
    int[] ordinals() {
      return ordinals;
    }

    @Override
    boolean isFiltered() {
      return true;
    }
  }

  /** Rows of an entry a column, of which only those needed are fetched. */
  private static final class Columnar extends TabletRows {
    private final ColumnarRows rows;
    private final int[] ordinals;
    private final boolean isFiltered;

    Columnar(TabletReaders asked, List<Range> ranges) throws TableNotFoundException {
      this(asked, needed(asked), ranges);
    }

    private Columnar(TabletReaders asked, int[] needed, List<Range> ranges)
        throws TableNotFoundException {
      this(asked, needed, open(asked, ranges, 1.0 / (1 + needed.length)));
    }

    private Columnar(TabletReaders asked, int[] needed, ScannerBase scanner) {
      super(scanner);
      rows = new ColumnarRows(asked.schema(), scanner, needed);
      ordinals = asked.columns();
      isFiltered = asked.filter() == null;
    }

    private static int[] needed(TabletReaders asked) {
      IntStream needed = Arrays.stream(asked.columns());
      if (asked.filter() != null) {
        needed = IntStream.concat(needed, Arrays.stream(asked.filter().columns()));
      }
      return needed.distinct().toArray();
    }

    @Override
    Cells next() {
      return rows.next();
    }

    @Override
    int[] ordinals() {
      return ordinals;
    }

    @Override
    boolean isFiltered() {
      return isFiltered;
    }
  }
}
