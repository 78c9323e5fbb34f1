package placementadvisor.accumulo.rows;

/** Packed rows with only some of their columns. */
public final class Projection {
  private final Schema schema;
  private final int[] columns;
  private final Packing.Packed whole;
  private final Packing part;
  private final Cells chosen = new Chosen();

  /** Makes the projection of a table's rows to the columns with these ordinals, in that order. */
  public Projection(Schema schema, int[] columns) {
    this.schema = schema;
    this.columns = columns.clone();
    whole = new Packing(schema.kinds()).view();
    part = new Packing(schema.only(columns).kinds());
  }

  /** Returns the packed row with the chosen columns alone. */
  public byte[] of(byte[] packed) {
    whole.of(packed);
    return part.pack(chosen);
  }

  /** Returns a projection that another thread may use. */
  public Projection copy() {
    return new Projection(schema, columns);
  }

  /** The chosen values of the row. */
  private final class Chosen implements Cells {
    @Override
    public boolean isNull(int column) {
      return whole.isNull(columns[column]);
    }

    @Override
    public long number(int column) {
      return whole.number(columns[column]);
    }

    @Override
    public byte[] buffer(int column) {
      return whole.buffer(columns[column]);
    }

    @Override
    public int start(int column) {
      return whole.start(columns[column]);
    }

    @Override
    public int end(int column) {
      return whole.end(columns[column]);
    }
  }
}
