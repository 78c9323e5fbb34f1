package placementadvisor.accumulo.rows;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Names of ours as Accumulo takes them: of letters, digits and underscores alone. */
public final class Names {
  private static final Pattern UNUSUAL = Pattern.compile("[^A-Za-z0-9]+");

  private Names() {}

  /**
   * Returns a name with other characters, and underscores side by side, as {@code __} and two
   * digits; the loader spells it so.
   */
  public static String spelled(String name) {
    return UNUSUAL.matcher(name).replaceAll(found -> hexadecimal(found.group()));
  }

  private static String hexadecimal(String text) {
    if (text.equals("_")) {
      return text;
    }
    StringBuilder written = new StringBuilder();
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      written.append(String.format("__%02x", each));
    }
    return written.toString();
  }
}
