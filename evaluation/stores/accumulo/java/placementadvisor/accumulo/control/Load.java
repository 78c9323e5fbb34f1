package placementadvisor.accumulo.control;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.AccumuloException;
import org.apache.accumulo.core.client.BatchWriter;
import org.apache.accumulo.core.client.BatchWriterConfig;
import org.apache.accumulo.core.client.MutationsRejectedException;
import org.apache.accumulo.core.client.TableNotFoundException;
import placementadvisor.accumulo.rows.Entries;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.rows.TextRows;

/** Rows on their way into one table: some threads read text and write entries. */
public final class Load implements AutoCloseable {
  private static final long BUFFER_BYTES = 32L << 20;
  private static final int WAITING_CHUNKS = 8;
  private static final int FEWEST_THREADS = 2;

  private final Schema schema;
  private final BatchWriter writer;
  private final ExecutorService readers;
  private final Semaphore room = new Semaphore(WAITING_CHUNKS);
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong rows = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** Begins to write rows of this schema. */
  public Load(AccumuloClient client, String table, Schema schema) throws TableNotFoundException {
    this.schema = schema;
    int threads = Math.max(FEWEST_THREADS, Runtime.getRuntime().availableProcessors());
    writer = client.createBatchWriter(table, settings(threads));
    readers = Executors.newFixedThreadPool(threads);
  }

  /** Returns how rows are sent, here and by Spark's tasks. */
  public static BatchWriterConfig settings(int threads) {
    return new BatchWriterConfig()
        .setMaxMemory(BUFFER_BYTES)
        .setMaxWriteThreads(threads)
        .setMaxLatency(10, TimeUnit.SECONDS)
        .setTimeout(60, TimeUnit.SECONDS);
  }

  /** Takes lines of text; waits while too many are still to be written. */
  public void take(byte[] text) throws InterruptedException {
    room.acquire();
    readers.execute(
        () -> {
          try {
            if (failure.get() == null) {
              write(text);
            }
          } catch (MutationsRejectedException | RuntimeException error) {
            failure.compareAndSet(null, error);
          } finally {
            room.release();
          }
        });
  }

  private void write(byte[] text) throws MutationsRejectedException {
    Entries entries = new Entries(schema);
    rows.addAndGet(
        new TextRows(schema)
            .read(
                text,
                text.length,
                row -> {
                  try {
                    writer.addMutation(entries.adding(row, numbers.getAndIncrement()));
                  } catch (MutationsRejectedException error) {
                    throw new IllegalStateException(error);
                  }
                }));
  }

  /**
   * Waits until every row has been written; returns how many there were.
   *
   * @throws AccumuloException a row could not be read or written
   */
  public long finish() throws AccumuloException, InterruptedException {
    room.acquire(WAITING_CHUNKS);
    if (failure.get() != null) {
      throw new AccumuloException(failure.get());
    }
    writer.close();
    return rows.get();
  }

  @Override
  public void close() throws MutationsRejectedException {
    readers.shutdownNow();
    writer.close();
  }
}
