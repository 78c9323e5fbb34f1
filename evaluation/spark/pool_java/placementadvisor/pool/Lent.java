package placementadvisor.pool;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.TaskContext;

/**
 * What a borrower has of a connection until it is closed, which gives it back.
 *
 * <p>Statements and results are the driver's own: reading a value costs nothing more.
 */
final class Lent implements InvocationHandler {
  private static final String CLOSED = "08003";

  private final AtomicReference<Session> session;
  private final ServerPool pool;
  private final Login login;
  private final Thread borrower = Thread.currentThread();
  private final TaskContext task = TaskContext.get();

  private Lent(Session session, ServerPool pool, Login login) {
    this.session = new AtomicReference<>(session);
    this.pool = pool;
    this.login = login;
  }

  static Connection of(Session session, ServerPool pool, Login login) {
    return (Connection)
        Proxy.newProxyInstance(
            Lent.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new Lent(session, pool, login));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    switch (method.getName()) {
      case "close", "abort":
        giveBack(method.getName().equals("close") && isSound());
        return null;
      case "isClosed":
        Session held = session.get();
        return held == null || held.connection().isClosed();
      case "equals":
        return proxy == arguments[0];
      case "hashCode":
        return System.identityHashCode(proxy);
      case "toString":
        return "a connection lent for " + login;
      default:
        return called(method, arguments);
    }
  }

  private Object called(Method method, Object[] arguments) throws Throwable {
    Session held = session.get();
    if (held == null) {
      throw new SQLException("The connection is closed.", CLOSED);
    }
    try {
      return method.invoke(held.connection(), arguments);
    } catch (InvocationTargetException error) {
      throw error.getCause();
    }
  }

  private void giveBack(boolean isSound) {
    Session held = session.getAndSet(null);
    if (held != null) {
      pool.takeBack(login, held, isSound);
    }
  }

  /**
   * Tell whether nothing was broken off. Spark closes the connection of a cancelled task from
   * another thread, amid a statement perhaps.
   */
  private boolean isSound() {
    return Thread.currentThread() == borrower
        && (task == null || !task.isInterrupted() && !task.isFailed());
  }
}
