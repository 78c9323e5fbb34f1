package placementadvisor.pool;

import java.sql.Connection;
import java.sql.SQLException;

/** A connection that is lent again and again, until it is of no use any more. */
final class Session {
  private static final int WAIT_S = 3;

  private final Connection connection;
  private final Reset reset;
  private boolean isNew = true;

  Session(Login login) throws SQLException {
    connection = login.connect();
    reset = login.reset();
  }

  Connection connection() {
    return connection;
  }

  /** Tell whether it can be lent: the server is asked, unless it has just answered a login. */
  boolean works() throws SQLException {
    if (isNew) {
      isNew = false;
      return true;
    }
    int before = wait(WAIT_S * 1000);
    boolean works = connection.isValid(WAIT_S);
    wait(before);
    return works;
  }

  /** Make it as new. It is lent again only where the server has done so. */
  void reset() throws SQLException {
    int before = wait(WAIT_S * 1000);
    reset.apply(connection);
    wait(before);
  }

  void close() throws SQLException {
    connection.close();
  }

  /** Set how many milliseconds an answer is waited for; return what it was. */
  private int wait(int milliseconds) throws SQLException {
    int before = connection.getNetworkTimeout();
    connection.setNetworkTimeout(Runnable::run, milliseconds);
    return before;
  }
}
