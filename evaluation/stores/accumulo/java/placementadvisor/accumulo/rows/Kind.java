package placementadvisor.accumulo.rows;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a value is kept: as a number of 64 bits, or as bytes. Named by Spark's types. */
public enum Kind {
  BOOLEAN,
  BYTE,
  SHORT,
  INT,
  LONG,
  FLOAT,
  DOUBLE,
  /** Days since 1970. */
  DATE,
  /** Microseconds since 1970, in UTC or in no zone. */
  TIMESTAMP,
  /** The unscaled value of a decimal of up to 18 digits. */
  DECIMAL,
  /** The unscaled value of a longer one, as bytes in two's complement. */
  WIDE_DECIMAL,
  TEXT,
  BINARY;

  private static final int MOST_DIGITS_OF_LONG = 18;
  private static final Pattern SCALED = Pattern.compile("decimal\\((\\d+), ?(\\d+)\\)");

  /** Returns the kind of a type as Spark's DDL spells it. */
  public static Kind of(String type) {
    Matcher scaled = SCALED.matcher(type);
    if (scaled.matches()) {
      int digits = Integer.parseInt(scaled.group(1));
      return digits <= MOST_DIGITS_OF_LONG ? DECIMAL : WIDE_DECIMAL;
    }
    return switch (type) {
      case "boolean" -> BOOLEAN;
      case "tinyint" -> BYTE;
      case "smallint" -> SHORT;
      case "int" -> INT;
      case "bigint" -> LONG;
      case "float" -> FLOAT;
      case "double" -> DOUBLE;
      case "date" -> DATE;
      case "timestamp", "timestamp_ntz" -> TIMESTAMP;
      case "string" -> TEXT;
      case "binary" -> BINARY;
      default -> throw new IllegalArgumentException("no column can have the type " + type);
    };
  }

  /** Returns the digits after the point of a decimal's type. */
  public static int scale(String type) {
    Matcher scaled = SCALED.matcher(type);
    if (!scaled.matches()) {
      throw new IllegalArgumentException(type + " is no decimal");
    }
    return Integer.parseInt(scaled.group(2));
  }

  /** Whether values are numbers of 64 bits. */
  public boolean isNumber() {
    return this != WIDE_DECIMAL && this != TEXT && this != BINARY;
  }

  /** Whether those numbers are the bits of a floating-point value. */
  public boolean isFloating() {
    return this == FLOAT || this == DOUBLE;
  }
}
