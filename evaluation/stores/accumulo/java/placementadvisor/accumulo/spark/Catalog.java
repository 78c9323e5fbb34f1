package placementadvisor.accumulo.spark;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.accumulo.core.client.AccumuloException;
import org.apache.accumulo.core.client.TableNotFoundException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import placementadvisor.accumulo.control.Tables;
import placementadvisor.accumulo.rows.Names;
import placementadvisor.accumulo.rows.Schema;
import placementadvisor.accumulo.scan.Settings;

/** The tables of an Accumulo as a catalog of Spark's, to be read alone. */
public final class Catalog implements TableCatalog {
  private static final String TABLE = "table";

  private String name;
  private CaseInsensitiveStringMap options;

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
    this.options = options;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Identifier[] listTables(String[] namespace) {
    Settings any = settings(Identifier.of(namespace, ""));
    try {
      return new Tables(any.client())
          .published(Names.spelled(String.join(".", namespace))).keySet().stream()
              .map(each -> Identifier.of(namespace, each))
              .toArray(Identifier[]::new);
    } catch (AccumuloException | TableNotFoundException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public Table loadTable(Identifier asked) throws NoSuchTableException {
    Settings settings = settings(asked);
    if (!settings.client().tableOperations().exists(settings.table())) {
      throw new NoSuchTableException(asked);
    }
    String whole = name + "." + settings.table();
    Schema schema = new StoredTable(whole, settings, options, null).stored();
    int[] all = IntStream.range(0, schema.columns().size()).toArray();
    return new StoredTable(whole, settings, options, SparkSchemas.of(schema, all));
  }

  private Settings settings(Identifier asked) {
    Map<String, String> whole = new HashMap<>(options);
    String namespace = Names.spelled(String.join(".", asked.namespace()));
    whole.put(TABLE, namespace + "." + Names.spelled(asked.name()));
    return Settings.of(new CaseInsensitiveStringMap(whole));
  }

  @Override
  public Table alterTable(Identifier asked, TableChange... changes) {
    throw readOnly();
  }

  @Override
  public boolean dropTable(Identifier asked) {
    throw readOnly();
  }

  @Override
  public void renameTable(Identifier from, Identifier to) {
    throw readOnly();
  }

  private static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException("this catalog's tables are only read");
  }
}
