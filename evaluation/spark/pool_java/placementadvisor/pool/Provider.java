package placementadvisor.pool;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.jdbc.JdbcConnectionProvider;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/** Gives Spark's JDBC connections of a pool, where the options of a read name this provider. */
public final class Provider extends JdbcConnectionProvider {
  static final String NAME = "placement-advisor";
  /** The option with the run that a read belongs to; the driver does not get it. */
  static final String RUN = "poolOfRun";

  private static final String ASKED = "connectionProvider";
  private static final String LOCAL = "local";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public boolean canHandle(Driver driver, Map<String, String> options) {
    return NAME.equals(CollectionConverters.asJava(options).get(ASKED));
  }

  @Override
  public boolean modifiesSecurityContext(Driver driver, Map<String, String> options) {
    return false;
  }

  @Override
  public Connection getConnection(Driver driver, Map<String, String> options) {
    JDBCOptions read = new JDBCOptions(options);
    Properties properties = read.asConnectionProperties();
    Object run = properties.remove(RUN);
    Login login = new Login(driver, read.url(), properties, String.valueOf(run));
    try {
      return login.canBeReset() && readsData() ? Pools.lend(login) : login.connect();
    } catch (SQLException error) {
      throw Provider.<RuntimeException>asItIs(error);
    }
  }

  /** Close what a run has left open in this process. */
  public void end(String run) {
    Pools.end(run);
  }

  /**
   * Tell whether this process reads data. The driver of a cluster asks for columns alone, which are
   * remembered: connections that it kept would come on top of those of the executors.
   */
  private static boolean readsData() {
    return TaskContext.get() != null
        || SparkEnv.get().conf().get("spark.master", "").startsWith(LOCAL);
  }

  /** Return a checked error for Scala's method, which declares none. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException asItIs(Throwable error) throws E {
    throw (E) error;
  }
}
