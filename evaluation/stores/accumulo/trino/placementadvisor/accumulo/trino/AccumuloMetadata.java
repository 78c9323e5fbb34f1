package placementadvisor.accumulo.trino;

import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SchemaTablePrefix;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import placementadvisor.accumulo.control.Tables;
import placementadvisor.accumulo.rows.Column;
import placementadvisor.accumulo.rows.Names;
import placementadvisor.accumulo.rows.Schema;

/** Tables that the advisor has loaded, under the names of the catalog in small letters. */
final class AccumuloMetadata implements ConnectorMetadata {
  private static final String ROWS = "rows";

  private final Instance instance;

  AccumuloMetadata(Instance instance) {
    this.instance = instance;
  }

  @Override
  public List<String> listSchemaNames(ConnectorSession session) {
    return instance.ask(() -> instance.tables().namespaces());
  }

  @Override
  public List<SchemaTableName> listTables(ConnectorSession session, Optional<String> namespace) {
    List<SchemaTableName> found = new ArrayList<>();
    for (String each : namespace.map(List::of).orElseGet(() -> listSchemaNames(session))) {
      published(each).keySet().forEach(name -> found.add(new SchemaTableName(each, name)));
    }
    return found;
  }

  /** Returns name in small letters → table. */
  private Map<String, String> published(String namespace) {
    Map<String, String> found = new HashMap<>();
    instance
        .ask(() -> instance.tables().published(Names.spelled(namespace)))
        .forEach((name, table) -> found.put(name.toLowerCase(Locale.ROOT), table));
    return found;
  }

  @Override
  public ConnectorTableHandle getTableHandle(
      ConnectorSession session,
      SchemaTableName name,
      Optional<ConnectorTableVersion> start,
      Optional<ConnectorTableVersion> end) {
    String table = published(name.getSchemaName()).get(name.getTableName());
    if (table == null) {
      return null;
    }
    Map<String, String> known = instance.ask(() -> instance.tables().known(table));
    long rows = Long.parseLong(known.getOrDefault(ROWS, "-1"));
    return new AccumuloTable(name, table, known.get(Tables.SCHEMA), rows, TupleDomain.all());
  }

  @Override
  public ConnectorTableMetadata getTableMetadata(
      ConnectorSession session, ConnectorTableHandle handle) {
    AccumuloTable table = (AccumuloTable) handle;
    List<ColumnMetadata> columns = new ArrayList<>();
    for (Column each : Schema.of(table.schema()).columns()) {
      columns.add(
          new ColumnMetadata(each.name().toLowerCase(Locale.ROOT), Types.of(each.type())));
    }
    return new ConnectorTableMetadata(table.name(), columns);
  }

  @Override
  public Map<String, ColumnHandle> getColumnHandles(
      ConnectorSession session, ConnectorTableHandle handle) {
    List<Column> columns = Schema.of(((AccumuloTable) handle).schema()).columns();
    Map<String, ColumnHandle> found = new LinkedHashMap<>();
    for (int ordinal = 0; ordinal < columns.size(); ordinal++) {
      Column each = columns.get(ordinal);
      String name = each.name().toLowerCase(Locale.ROOT);
      found.put(name, new AccumuloColumn(ordinal, name, each.type()));
    }
    return found;
  }

  @Override
  public ColumnMetadata getColumnMetadata(
      ConnectorSession session, ConnectorTableHandle table, ColumnHandle handle) {
    AccumuloColumn column = (AccumuloColumn) handle;
    return new ColumnMetadata(column.name(), Types.of(column.type()));
  }

  @Override
  @SuppressWarnings("deprecation")
  public Map<SchemaTableName, List<ColumnMetadata>> listTableColumns(
      ConnectorSession session, SchemaTablePrefix prefix) {
    Map<SchemaTableName, List<ColumnMetadata>> found = new HashMap<>();
    for (SchemaTableName name : listTables(session, prefix.getSchema())) {
      ConnectorTableHandle table =
          prefix.matches(name)
              ? getTableHandle(session, name, Optional.empty(), Optional.empty())
              : null;
      if (table != null) {
        found.put(name, getTableMetadata(session, table).getColumns());
      }
    }
    return found;
  }

  @Override
  public TableStatistics getTableStatistics(
      ConnectorSession session, ConnectorTableHandle handle) {
    long rows = ((AccumuloTable) handle).rows();
    Estimate known = rows < 0 ? Estimate.unknown() : Estimate.of(rows);
    return TableStatistics.builder().setRowCount(known).build();
  }

  /** Takes the conditions that tablet servers test; Trino tests the others. */
  @Override
  public Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(
      ConnectorSession session, ConnectorTableHandle handle, Constraint constraint) {
    AccumuloTable table = (AccumuloTable) handle;
    if (constraint.getSummary().getDomains().isEmpty()) {
      return Optional.empty();
    }
    Map<AccumuloColumn, Domain> taken = new HashMap<>();
    Map<ColumnHandle, Domain> left = new HashMap<>();
    constraint
        .getSummary()
        .getDomains()
        .get()
        .forEach(
            (column, domain) -> {
              AccumuloColumn own = (AccumuloColumn) column;
              if (Filters.of(own, domain) == null) {
                left.put(column, domain);
              } else {
                taken.put(own, domain);
              }
            });
    TupleDomain<AccumuloColumn> kept =
        table.kept().intersect(TupleDomain.withColumnDomains(taken));
    if (kept.equals(table.kept())) {
      return Optional.empty();
    }
    return Optional.of(
        new ConstraintApplicationResult<>(
            table.with(kept),
            TupleDomain.withColumnDomains(left),
            constraint.getExpression(),
            false));
  }
}
