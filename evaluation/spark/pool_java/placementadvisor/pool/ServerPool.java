package placementadvisor.pool;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.NoSuchElementException;
import org.apache.commons.pool2.BaseKeyedPooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericKeyedObjectPool;
import org.apache.commons.pool2.impl.GenericKeyedObjectPoolConfig;

/**
 * The connections of this process with one server, by login.
 *
 * <p>There are never more than have been in use at once: rather than that another is opened, the one
 * that has been idle longest is closed. So the server sees no more of them than without a pool.
 */
final class ServerPool {
  private static final Duration MOST_IDLE = Duration.ofSeconds(3);
  private static final Duration LOOKED_AFTER = Duration.ofSeconds(1);
  private static final int ALL = -1;

  private final GenericKeyedObjectPool<Login, Session> sessions =
      new GenericKeyedObjectPool<>(new Sessions(), configuration());
  private int inUse;

  Connection lend(Login login) throws SQLException {
    begin();
    Session session = null;
    try {
      session = sessions.borrowObject(login);
      return Lent.of(session, this, login);
    } catch (NoSuchElementException error) {
      // One that is being closed counts still. Nobody waits for that.
      return login.connect();
    } catch (SQLException | RuntimeException error) {
      throw error;
    } catch (Exception error) {
      throw new SQLException(error);
    } finally {
      if (session == null) {
        end();
      }
    }
  }

  /** Keep it for the next one, unless something was broken off, or its run has ended. */
  void takeBack(Login login, Session session, boolean isSound) {
    try {
      if (isSound && !Pools.hasEnded(login.run())) {
        sessions.returnObject(login, session);
      } else {
        sessions.invalidateObject(login, session);
      }
    } catch (Exception error) {
      // What is to be thrown away may fail to say goodbye.
    } finally {
      end();
    }
  }

  /** Close those of a run that are idle. */
  void closeIdle(String run) {
    for (Login login : sessions.getKeys()) {
      if (login.run().equals(run)) {
        sessions.clear(login);
      }
    }
  }

  private synchronized void begin() {
    inUse++;
    sessions.setMaxTotal(Math.max(inUse, sessions.getMaxTotal()));
  }

  private synchronized void end() {
    inUse--;
  }

  private static GenericKeyedObjectPoolConfig<Session> configuration() {
    GenericKeyedObjectPoolConfig<Session> settings = new GenericKeyedObjectPoolConfig<>();
    settings.setMaxTotal(0);
    settings.setMaxTotalPerKey(ALL);
    settings.setMaxIdlePerKey(ALL);
    settings.setBlockWhenExhausted(false);
    settings.setTestOnBorrow(true);
    settings.setMinEvictableIdleDuration(MOST_IDLE);
    settings.setTimeBetweenEvictionRuns(LOOKED_AFTER);
    settings.setNumTestsPerEvictionRun(ALL);
    settings.setJmxEnabled(false);
    return settings;
  }

  private static final class Sessions extends BaseKeyedPooledObjectFactory<Login, Session> {
    @Override
    public Session create(Login login) throws SQLException {
      return new Session(login);
    }

    @Override
    public PooledObject<Session> wrap(Session session) {
      return new DefaultPooledObject<>(session);
    }

    @Override
    public boolean validateObject(Login login, PooledObject<Session> pooled) {
      try {
        return pooled.getObject().works();
      } catch (SQLException error) {
        return false;
      }
    }

    @Override
    public void passivateObject(Login login, PooledObject<Session> pooled) throws SQLException {
      pooled.getObject().reset();
    }

    @Override
    public void destroyObject(Login login, PooledObject<Session> pooled) throws SQLException {
      pooled.getObject().close();
    }
  }
}
