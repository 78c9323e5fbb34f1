package placementadvisor.pool;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The pools of this process, one a server. */
final class Pools {
  private static final Map<String, ServerPool> POOLS = new ConcurrentHashMap<>();
  private static final Set<String> ENDED = ConcurrentHashMap.newKeySet();

  private Pools() {}

  static Connection lend(Login login) throws SQLException {
    return POOLS.computeIfAbsent(login.server(), server -> new ServerPool()).lend(login);
  }

  /** Close what a run has left open; what it still has in use is closed when it is given back. */
  static void end(String run) {
    ENDED.add(run);
    POOLS.values().forEach(pool -> pool.closeIdle(run));
  }

  static boolean hasEnded(String run) {
    return ENDED.contains(run);
  }
}
