package placementadvisor.accumulo.trino;

import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.TupleDomain;

/**
 * A table that a query reads.
 *
 * @param name as Trino knows it
 * @param table as Accumulo knows it
 * @param schema its columns, as JSON
 * @param rows how many it has; -1 where that is not known
 * @param kept the rows that a scan hands out
 */
public record AccumuloTable(
    SchemaTableName name, String table, String schema, long rows, TupleDomain<AccumuloColumn> kept)
    implements ConnectorTableHandle {
  /** Returns the table with fewer rows handed out. */
  AccumuloTable with(TupleDomain<AccumuloColumn> fewer) {
    return new AccumuloTable(name, table, schema, rows, fewer);
  }
}
