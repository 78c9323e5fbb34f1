package placementadvisor.accumulo.rows;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Reads rows as text: a line a row, a tab between values, a backslash before what would be mistaken
 * for one of these, and {@code \N} for NULL. Bytes are hexadecimal digits behind {@code \x}.
 */
public final class TextRows {
  private static final int FRACTION_DIGITS = 6;
  private static final long SECOND = 1_000_000L;

  private final String[] types;
  private final Kind[] kinds;
  private final int[] columns;
  private final Row row;

  /** Reads rows of all the columns. */
  public TextRows(Schema schema) {
    this(schema, IntStream.range(0, schema.columns().size()).toArray());
  }

  /** Reads rows of some columns, in that order; the others are NULL. */
  public TextRows(Schema schema, int[] columns) {
    types = schema.columns().stream().map(Column::type).toArray(String[]::new);
    kinds = schema.kinds();
    this.columns = columns.clone();
    row = new Row(types.length);
  }

  /** Hands each row of whole lines to `taker`, one object for all; returns how many there were. */
  public long read(byte[] text, int length, Consumer<Cells> taker) {
    long rows = 0;
    int place = 0;
    while (place < length) {
      row.clear();
      for (int index = 0; index < columns.length; index++) {
        int end = place;
        boolean escaped = false;
        while (text[end] != '\t' && text[end] != '\n') {
          if (text[end] == '\\') {
            escaped = true;
            end++;
          }
          end++;
        }
        set(columns[index], text, place, end, escaped);
        place = end + 1;
      }
      taker.accept(row);
      rows++;
    }
    return rows;
  }

  private void set(int column, byte[] text, int start, int end, boolean escaped) {
    if (escaped && end - start == 2 && text[start + 1] == 'N') {
      return;
    }
    Kind kind = kinds[column];
    switch (kind) {
      case TEXT ->
          row.set(column, escaped ? plain(text, start, end) : Arrays.copyOfRange(text, start, end));
      case BINARY -> row.set(column, hexadecimal(plain(text, start, end)));
      case BOOLEAN, BYTE, SHORT, INT, LONG -> row.set(column, whole(text, start, end));
      case DATE -> row.set(column, days(text, start, end));
      case TIMESTAMP -> row.set(column, microseconds(text, start, end));
      default -> {
        String written = new String(text, start, end - start, StandardCharsets.US_ASCII);
        switch (kind) {
          case FLOAT -> row.set(column, Float.floatToIntBits(single(written)));
          case DOUBLE -> row.set(column, Double.doubleToLongBits(floating(written)));
          case DECIMAL -> row.set(column, unscaled(column, written).unscaledValue().longValue());
          default -> row.set(column, unscaled(column, written).unscaledValue().toByteArray());
        }
      }
    }
  }

  private BigDecimal unscaled(int column, String written) {
    return new BigDecimal(written).setScale(Kind.scale(types[column]), RoundingMode.UNNECESSARY);
  }

  private static float single(String written) {
    double value = floating(written);
    return Double.isFinite(value) ? Float.parseFloat(written) : (float) value;
  }

  private static double floating(String written) {
    return switch (written) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "nan" -> Double.NaN;
      default -> Double.parseDouble(written);
    };
  }

  private static byte[] plain(byte[] text, int start, int end) {
    byte[] found = new byte[end - start];
    int length = 0;
    for (int place = start; place < end; place++) {
      byte next = text[place];
      if (next == '\\') {
        place++;
        next =
            switch (text[place]) {
              case 't' -> '\t';
              case 'n' -> '\n';
              case 'r' -> '\r';
              default -> text[place];
            };
      }
      found[length++] = next;
    }
    return Arrays.copyOf(found, length);
  }

  private static byte[] hexadecimal(byte[] written) {
    String digits = new String(written, StandardCharsets.US_ASCII);
    return HexFormat.of().parseHex(digits, 2, digits.length());
  }

  private static long whole(byte[] text, int start, int end) {
    boolean negative = text[start] == '-';
    // Counted below zero, where there is one number more.
    long found = 0;
    for (int place = negative ? start + 1 : start; place < end; place++) {
      found = found * 10 - (text[place] - '0');
    }
    return negative ? found : -found;
  }

  private static long days(byte[] text, int start, int end) {
    int day = end - 2;
    int month = day - 3;
    long year = whole(text, start, month - 1);
    return LocalDate.of(
            (int) year, (int) whole(text, month, month + 2), (int) whole(text, day, end))
        .toEpochDay();
  }

  /** Reads ``2024-03-10 02:30:00.123456``; the digits after the point may be fewer, or none. */
  private static long microseconds(byte[] text, int start, int end) {
    int blank = start;
    while (text[blank] != ' ') {
      blank++;
    }
    long days = days(text, start, blank);
    int hour = blank + 1;
    long seconds =
        whole(text, hour, hour + 2) * 3600
            + whole(text, hour + 3, hour + 5) * 60
            + whole(text, hour + 6, hour + 8);
    long fraction = 0;
    int digits = 0;
    for (int place = blank + 10; place < end && digits < FRACTION_DIGITS; place++, digits++) {
      fraction = fraction * 10 + (text[place] - '0');
    }
    for (; digits < FRACTION_DIGITS; digits++) {
      fraction *= 10;
    }
    return (days * 86_400 + seconds) * SECOND + fraction;
  }
}
