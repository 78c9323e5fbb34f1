package placementadvisor.pool;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All that a connection is opened with: address, user, TLS and the settings of its session, for one
 * run. A connection is lent to equal logins alone. It never shows what it holds.
 */
final class Login {
  private static final Pattern SERVER = Pattern.compile("[^/]*//[^/?]*");

  private final Driver driver;
  private final String url;
  private final Properties properties;
  private final String run;

  Login(Driver driver, String url, Properties properties, String run) {
    this.driver = driver;
    this.url = url;
    this.properties = properties;
    this.run = run;
  }

  Connection connect() throws SQLException {
    Properties given = new Properties();
    given.putAll(properties);
    return driver.connect(url, given);
  }

  boolean canBeReset() {
    return Reset.isKnown(url);
  }

  Reset reset() {
    return Reset.of(url, properties);
  }

  String run() {
    return run;
  }

  /** Return the address of the server, without database and options. */
  String server() {
    Matcher found = SERVER.matcher(url);
    return found.lookingAt() ? found.group() : url;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Login login
        && url.equals(login.url)
        && run.equals(login.run)
        && driver.getClass() == login.driver.getClass()
        && properties.equals(login.properties);
  }

  @Override
  public int hashCode() {
    return 31 * url.hashCode() + properties.hashCode();
  }

  @Override
  public String toString() {
    return "a login at " + server();
  }
}
