package placementadvisor.accumulo.control;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.accumulo.core.client.AccumuloClient;
import placementadvisor.accumulo.Login;
import placementadvisor.accumulo.LoginException;

/** The instance that all lanes of a process work on: one login, and any number of holds. */
final class Instance {
  private final Map<String, Hold> holds = new ConcurrentHashMap<>();
  private Login login;
  private AccumuloClient client;
  private int loads;

  /**
   * Logs in; the client before stays open while a load writes through it.
   *
   * <p>Returns the protocol that encrypts what the client sends, or null.
   */
  synchronized String logIn(Login asked) throws LoginException {
    Login.Accepted accepted = asked.openAccepted();
    if (client != null && loads == 0) {
      client.close();
    }
    login = asked;
    client = accepted.client();
    return accepted.protocol();
  }

  synchronized AccumuloClient client() {
    return client;
  }

  synchronized void loadBegins() {
    loads++;
  }

  synchronized void loadEnds() {
    loads--;
  }

  /** Holds a namespace; returns whether nobody else does. */
  boolean hold(String namespace) throws Exception {
    Login known;
    synchronized (this) {
      known = login;
    }
    Hold taken = Hold.taken(known.zookeepers(), known.instance(), namespace);
    if (taken != null) {
      holds.put(namespace, taken);
    }
    return taken != null;
  }

  void release(String namespace) throws InterruptedException {
    holds.remove(namespace).close();
  }
}
