package placementadvisor.accumulo.spark;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeSet;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import placementadvisor.accumulo.control.Counter;
import placementadvisor.accumulo.control.Tables;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Settings;

/** A table that is written beside the one of its name, and takes its place once it is complete. */
final class Replacement implements BatchWrite {
  private static final String STAGING = "_advisor_staging_";

  private final Settings settings;
  private final Schema schema;
  private final Map<String, String> known;
  private final String staging;

  Replacement(Settings settings, Schema schema, Map<String, String> known) {
    this.settings = settings;
    this.schema = schema;
    this.known = known;
    String table = settings.table();
    String namespace = table.substring(0, table.indexOf('.') + 1);
    staging = namespace + STAGING + Integer.toHexString(table.hashCode());
  }

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    try {
      tables().create(staging, schema, new TreeSet<>());
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
    return new TaskWriters(settings, staging, schema);
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    long rows = Arrays.stream(messages).mapToLong(each -> ((TaskWriter.Written) each).rows()).sum();
    try {
      tables().settle(staging);
      long found = new Counter(settings.client(), staging).count();
      if (found != rows) {
        throw new IllegalStateException(rows + " rows were written, and " + found + " are there");
      }
      known.put("rows", String.valueOf(rows));
      tables().publish(staging, settings.table(), known);
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public void abort(WriterCommitMessage[] messages) {
    try {
      tables().drop(staging);
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  private Tables tables() {
    return new Tables(settings.client());
  }
}
