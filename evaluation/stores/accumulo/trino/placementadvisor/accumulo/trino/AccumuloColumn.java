package placementadvisor.accumulo.trino;

import io.trino.spi.connector.ColumnHandle;

/** A column: its place in the table's schema, and its type as Spark's DDL spells it. */
public record AccumuloColumn(int ordinal, String name, String type) implements ColumnHandle {}
