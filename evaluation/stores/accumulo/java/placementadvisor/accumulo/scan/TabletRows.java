package placementadvisor.accumulo.scan;

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
public abstract class TabletRows implements AutoCloseable {
  private static final int PRIORITY = 100;

  private final ScannerBase scanner;

  TabletRows(ScannerBase scanner) {
    this.scanner = scanner;
  }

  /** Opens the scan of what is wanted. */
  public static TabletRows of(Wanted wanted, List<Range> ranges) throws TableNotFoundException {
    if (!wanted.schema().isPacked()) {
      return new Columnar(wanted, ranges);
    }
    return wanted.settings().inServers() ? new Batched(wanted, ranges) : new Packed(wanted, ranges);
  }

  /** Returns the next row, which is good until the one after it; null at the end. */
  public abstract Cells next();

  /** Returns where in a row each of the columns is that are wanted. */
  public abstract int[] ordinals();

  /** Whether rows are only those that the filter keeps. */
  public abstract boolean isFiltered();

  @Override
  public void close() {
    scanner.close();
  }

  /**
   * Opens one scan of several ranges; rows of each come in order only where there is one.
   *
   * @param rowsPerEntry how many rows an entry has at most; a share of one where rows have several
   */
  private static ScannerBase open(Wanted wanted, List<Range> ranges, double rowsPerEntry)
      throws TableNotFoundException {
    Settings settings = wanted.settings();
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

    Packed(Wanted wanted, List<Range> ranges) throws TableNotFoundException {
      this(wanted, open(wanted, ranges, 1));
    }

    private Packed(Wanted wanted, ScannerBase scanner) {
      super(scanner);
      ordinals = wanted.columns();
      row = new Packing(wanted.schema().kinds()).view();
      isFiltered = wanted.filter() == null;
      entries = scanner.iterator();
    }

    @Override
    public Cells next() {
      return entries.hasNext() ? row.of(entries.next().getValue().get()) : null;
    }

    @Override
    public int[] ordinals() {
      return ordinals;
    }

    @Override
    public boolean isFiltered() {
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

    Batched(Wanted wanted, List<Range> ranges) throws TableNotFoundException {
      this(wanted, open(wanted, ranges, RowBatch.MOST_ROWS));
    }

    private Batched(Wanted wanted, ScannerBase scanner) {
      super(scanner);
      int[] columns = wanted.columns();
      ordinals = IntStream.range(0, columns.length).toArray();
      row = new Packing(wanted.schema().only(columns).kinds()).view();
      scanner.addScanIterator(selection(wanted));
      entries = scanner.iterator();
    }

    private static IteratorSetting selection(Wanted wanted) {
      IteratorSetting setting = new IteratorSetting(PRIORITY, "selection", Selection.class);
      setting.addOption(Selection.SCHEMA, wanted.schema().json());
      setting.addOption(
          Selection.COLUMNS,
          Arrays.stream(wanted.columns()).mapToObj(String::valueOf).collect(Collectors.joining(",")));
      if (wanted.filter() != null) {
        setting.addOption(Selection.FILTER, wanted.filter().json());
      }
      return setting;
    }

    @Override
    public Cells next() {
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
    public int[] ordinals() {
      return ordinals;
    }

    @Override
    public boolean isFiltered() {
      return true;
    }
  }

  /** Rows of an entry a column, of which only those needed are fetched. */
  private static final class Columnar extends TabletRows {
    private final ColumnarRows rows;
    private final int[] ordinals;
    private final boolean isFiltered;

    Columnar(Wanted wanted, List<Range> ranges) throws TableNotFoundException {
      this(wanted, needed(wanted), ranges);
    }

    private Columnar(Wanted wanted, int[] needed, List<Range> ranges)
        throws TableNotFoundException {
      this(wanted, needed, open(wanted, ranges, 1.0 / (1 + needed.length)));
    }

    private Columnar(Wanted wanted, int[] needed, ScannerBase scanner) {
      super(scanner);
      rows = new ColumnarRows(wanted.schema(), scanner, needed);
      ordinals = wanted.columns();
      isFiltered = wanted.filter() == null;
    }

    private static int[] needed(Wanted wanted) {
      IntStream needed = Arrays.stream(wanted.columns());
      if (wanted.filter() != null) {
        needed = IntStream.concat(needed, Arrays.stream(wanted.filter().columns()));
      }
      return needed.distinct().toArray();
    }

    @Override
    public Cells next() {
      return rows.next();
    }

    @Override
    public int[] ordinals() {
      return ordinals;
    }

    @Override
    public boolean isFiltered() {
      return isFiltered;
    }
  }
}
