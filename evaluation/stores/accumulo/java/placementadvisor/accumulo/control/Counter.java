package placementadvisor.accumulo.control;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.AccumuloException;
import org.apache.accumulo.core.client.AccumuloSecurityException;
import org.apache.accumulo.core.client.IteratorSetting;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Range;
import org.apache.accumulo.core.data.Value;
import org.apache.accumulo.core.iterators.SortedKeyIterator;
import org.apache.accumulo.core.security.Authorizations;
import org.apache.hadoop.io.Text;
import placementadvisor.accumulo.rows.Entries;

/** Counts the rows of a table, tablet by tablet, and finds keys that two rows have. */
public final class Counter {
  private static final int KEYS_AT_ONCE = 20_000;
  private static final int THREADS = 2;

  private final AccumuloClient client;
  private final String table;

  /** Makes a counter of one table's rows. */
  public Counter(AccumuloClient client, String table) {
    this.client = client;
    this.table = table;
  }

  /**
   * Counts the rows.
   *
   * @throws DuplicateKeyException two rows have one key
   */
  public long count()
      throws TableNotFoundException,
          AccumuloException,
          AccumuloSecurityException,
          InterruptedException,
          DuplicateKeyException {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Long>> counts = new ArrayList<>();
      for (Range tablet : tablets()) {
        counts.add(threads.submit(() -> count(tablet)));
      }
      long rows = 0;
      for (Future<Long> each : counts) {
        rows += each.get();
      }
      return rows;
    } catch (ExecutionException error) {
      if (error.getCause() instanceof DuplicateKeyException found) {
        throw found;
      }
      throw new AccumuloException(error.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private List<Range> tablets()
      throws TableNotFoundException, AccumuloException, AccumuloSecurityException {
    List<Text> ends = new ArrayList<>(client.tableOperations().listSplits(table));
    Collections.sort(ends);
    List<Range> found = new ArrayList<>();
    Text before = null;
    for (Text end : ends) {
      found.add(new Range(before, false, end, true));
      before = end;
    }
    found.add(new Range(before, false, null, true));
    return found;
  }

  private long count(Range tablet) throws TableNotFoundException, DuplicateKeyException {
    try (Scanner scanner = client.createScanner(table, Authorizations.EMPTY)) {
      scanner.setRange(tablet);
      scanner.setBatchSize(KEYS_AT_ONCE);
      scanner.fetchColumn(new Text(Entries.FAMILY), new Text(Entries.ROW));
      // Keys alone: the values stay where they are.
      scanner.addScanIterator(new IteratorSetting(50, "keys", SortedKeyIterator.class));
      long rows = 0;
      byte[] before = null;
      Iterator<Map.Entry<Key, Value>> entries = scanner.iterator();
      while (entries.hasNext()) {
        byte[] row = entries.next().getKey().getRowData().toArray();
        if (before != null && Arrays.equals(before, row)) {
          throw new DuplicateKeyException();
        }
        before = row;
        rows++;
      }
      return rows;
    }
  }

  /** Two rows that have one key. */
  public static final class DuplicateKeyException extends Exception {
    private static final long serialVersionUID = 1;

    DuplicateKeyException() {
      super("duplicate key: two rows have the same values in the columns of the primary key");
    }
  }
}
