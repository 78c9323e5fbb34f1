package placementadvisor.accumulo.rows;

import java.io.Serializable;

/** A column: its name, and its type as Spark's DDL spells it. */
public record Column(String name, String type) implements Serializable {
  /** Returns how its values are kept. */
  public Kind kind() {
    return Kind.of(type);
  }
}
