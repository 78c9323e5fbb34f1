package placementadvisor.accumulo.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.AccumuloException;
import org.apache.accumulo.core.client.AccumuloSecurityException;
import org.apache.accumulo.core.client.NamespaceExistsException;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.client.TableExistsException;
import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.accumulo.core.client.admin.CompactionConfig;
import org.apache.accumulo.core.client.admin.NewTableConfiguration;
import org.apache.accumulo.core.client.admin.TableOperations;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Range;
import org.apache.accumulo.core.data.Value;
import org.apache.accumulo.core.metadata.MetadataTable;
import org.apache.accumulo.core.security.Authorizations;
import org.apache.hadoop.io.Text;
import placementadvisor.accumulo.rows.Schema;

/**
 * The tables of one namespace.
 *
 * <p>What is known of a copy stands in its own properties and moves with its name. So a table is
 * published by giving it the name: from then on it is found with all that is known of it.
 */
public final class Tables {
  /** What the names of our properties begin with. */
  public static final String OURS = "table.custom.advisor.";

  /** The property with the schema. */
  public static final String SCHEMA = "schema";

  /** The property with the name that a staged table that is complete is going to have. */
  public static final String FINAL = "final";

  /** The property with the name that a copy's table has in the catalog. */
  public static final String NAME = "name";

  private static final int MOST_TURNS = 100;
  private static final int TURN_MS = 50;
  private static final Map<String, String> SETTINGS =
      Map.of(
          // What is lost with a server is loaded again: the table is not there until it is whole.
          "table.durability", "none",
          "table.scan.max.memory", "4M",
          "table.file.compress.type", "snappy",
          "table.cache.block.enable", "true");

  private final TableOperations operations;
  private final AccumuloClient client;

  /** Makes the door to all tables that the client may see. */
  public Tables(AccumuloClient client) {
    this.client = client;
    operations = client.tableOperations();
  }

  /** Makes the namespace, and publishes or drops what loads that did not end have left. */
  public void prepare(String namespace, String staging)
      throws AccumuloException, AccumuloSecurityException, TableNotFoundException {
    if (!client.namespaceOperations().list().contains(namespace)) {
      try {
        client.namespaceOperations().create(namespace);
      } catch (NamespaceExistsException error) {
        System.err.println("somebody else was faster: " + error.getMessage());
      }
    }
    for (String table : in(namespace)) {
      if (table.startsWith(namespace + "." + staging)) {
        String name = known(table).get(FINAL);
        if (name == null) {
          operations.delete(table);
        } else {
          finishPublishing(table, name);
        }
      }
    }
  }

  /** Returns what is known of each table of the namespace: name → property → value. */
  public Map<String, Map<String, String>> list(String namespace)
      throws AccumuloException, TableNotFoundException {
    Map<String, Map<String, String>> found = new TreeMap<>();
    for (String table : in(namespace)) {
      found.put(table, known(table));
    }
    return found;
  }

  /** Returns the namespaces that have copies. */
  public List<String> namespaces() throws AccumuloException, TableNotFoundException {
    List<String> found = new ArrayList<>();
    for (String table : operations.list()) {
      String namespace = table.substring(0, Math.max(0, table.indexOf('.')));
      if (!found.contains(namespace) && known(table).containsKey(NAME)) {
        found.add(namespace);
      }
    }
    return found;
  }

  /** Returns the copies of the namespace: the name that their tables have in the catalog → table. */
  public Map<String, String> published(String namespace)
      throws AccumuloException, TableNotFoundException {
    Map<String, String> found = new TreeMap<>();
    list(namespace)
        .forEach(
            (table, known) -> {
              if (table.equals(known.get(FINAL)) && known.containsKey(NAME)) {
                found.put(known.get(NAME), table);
              }
            });
    return found;
  }

  /** Makes an empty table, split at these rows; one of the same name is dropped. */
  public void create(String table, Schema schema, SortedSet<Text> splits)
      throws AccumuloException, AccumuloSecurityException, TableNotFoundException {
    drop(table);
    Map<String, String> properties = new TreeMap<>(SETTINGS);
    properties.put(OURS + SCHEMA, schema.json());
    // Rows are there once: that is counted when they have arrived.
    NewTableConfiguration configuration =
        new NewTableConfiguration().withoutDefaultIterators().setProperties(properties);
    if (!splits.isEmpty()) {
      configuration.withSplits(new TreeSet<>(splits));
    }
    try {
      operations.create(table, configuration);
    } catch (TableExistsException error) {
      throw new AccumuloException("somebody else makes table " + table, error);
    }
    awaitKnown(table);
  }

  /**
   * Waits until the client knows a table that there is.
   *
   * <p>All threads share what the client has read of the tables' names. One that read them before a
   * table was made may write that down after another has made it; a moment later it is read again.
   */
  private void awaitKnown(String table) throws AccumuloException {
    for (int turn = 0; turn < MOST_TURNS && !operations.exists(table); turn++) {
      try {
        Thread.sleep(TURN_MS);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        throw new AccumuloException(error);
      }
    }
  }

  /**
   * Lets all that was written be in files, one for each tablet.
   *
   * <p>Rows that have never been flushed while they came are in one file a tablet once they are. A
   * compaction, which takes half a second at least, is for the tables of the others.
   */
  public void settle(String table)
      throws AccumuloException, AccumuloSecurityException, TableNotFoundException {
    awaitKnown(table);
    operations.flush(table, null, null, true);
    if (hasTabletOfSeveralFiles(table)) {
      operations.compact(table, new CompactionConfig().setFlush(true).setWait(true));
    }
  }

  /** Whether a tablet has several files, or it cannot be known. */
  private boolean hasTabletOfSeveralFiles(String table) throws TableNotFoundException {
    String id = operations.tableIdMap().get(table);
    try (Scanner files = client.createScanner(MetadataTable.NAME, Authorizations.EMPTY)) {
      // The tablets of a table are the rows from its number with a semicolon to that with a '<'.
      files.setRange(new Range(id + ";", true, id + "<", true));
      files.fetchColumnFamily(new Text("file"));
      Text before = null;
      for (Map.Entry<Key, Value> file : files) {
        Text tablet = file.getKey().getRow();
        if (tablet.equals(before)) {
          return true;
        }
        before = tablet;
      }
      return false;
    } catch (RuntimeException error) {
      // An account may not read what the instance knows of its tablets.
      return true;
    }
  }

  /** Gives a table what is known of it, and then its name; one that has the name is dropped. */
  public void publish(String table, String name, Map<String, String> known)
      throws AccumuloException, AccumuloSecurityException, TableNotFoundException {
    awaitKnown(table);
    operations.modifyProperties(
        table,
        properties -> {
          properties.put(OURS + FINAL, name);
          known.forEach((key, value) -> properties.put(OURS + key, value));
        });
    drop(name);
    rename(table, name);
  }

  /** Drops a table if it is there. */
  public void drop(String table)
      throws AccumuloException, AccumuloSecurityException, TableNotFoundException {
    if (operations.exists(table)) {
      operations.delete(table);
    }
  }

  /** Returns what is known of a table: property → value. */
  public Map<String, String> known(String table) throws AccumuloException, TableNotFoundException {
    Map<String, String> found = new TreeMap<>();
    operations
        .getTableProperties(table)
        .forEach(
            (key, value) -> {
              if (key.startsWith(OURS)) {
                found.put(key.substring(OURS.length()), value);
              }
            });
    return found;
  }

  /**
   * Gives a complete table its name, in place of an older one.
   *
   * <p>The manager may still be at what the load that ended has asked for. Of an older table that is
   * its deletion: dropping the complete table instead would leave none of the two. Where there is no
   * older one any more, that is the renaming.
   */
  private void finishPublishing(String table, String name)
      throws AccumuloException, AccumuloSecurityException, TableNotFoundException {
    String complete = operations.tableIdMap().get(table);
    String older = operations.tableIdMap().get(name);
    try {
      if (older != null && !older.equals(complete)) {
        operations.delete(name);
      }
    } catch (TableNotFoundException error) {
      System.err.println("the older table was deleted meanwhile: " + error.getMessage());
    }
    try {
      rename(table, name);
    } catch (TableNotFoundException error) {
      if (complete == null || !complete.equals(operations.tableIdMap().get(name))) {
        throw error;
      }
    }
  }

  private void rename(String table, String name)
      throws AccumuloException, AccumuloSecurityException, TableNotFoundException {
    try {
      operations.rename(table, name);
    } catch (TableExistsException error) {
      throw new AccumuloException("somebody else makes table " + name, error);
    }
  }

  private List<String> in(String namespace) {
    List<String> found = new ArrayList<>();
    for (String table : operations.list()) {
      if (table.startsWith(namespace + ".")) {
        found.add(table);
      }
    }
    return found;
  }
}
