package placementadvisor.accumulo.tls;

import java.security.KeyManagementException;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.SecureRandom;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * Contexts of TLS by the names of our modes.
 *
 * <p>Accumulo's client compares no certificate with the host that it has reached, and has no mode
 * that verifies nothing. It takes a context by its name, though, so that these are both.
 */
final class Contexts extends Provider {
  private static final String PREFIX = "PlacementAdvisor-";
  private static final String TLS = "TLS";

  Contexts() {
    super("PlacementAdvisor", "1", "TLS whose modes are those of the project file");
    for (String mode : List.of("require", "verify-ca", "verify-full")) {
      putService(
          new Service(this, "SSLContext", named(mode), Context.class.getName(), null, null) {
            @Override
            public Object newInstance(Object parameter) throws NoSuchAlgorithmException {
              return new Context(mode);
            }
          });
    }
  }

  static String named(String mode) {
    return PREFIX + mode;
  }

  /** Java's own TLS, with another trust manager or another factory of sockets. */
  private static final class Context extends SSLContextSpi {
    private final SSLContext context;
    private final String mode;

    Context(String mode) throws NoSuchAlgorithmException {
      this.context = SSLContext.getInstance(TLS);
      this.mode = mode;
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random)
        throws KeyManagementException {
      TrustManager[] any = {new AnyServer()};
      context.init(keys, mode.equals(Tls.REQUIRE) ? any : trust, random);
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      SSLSocketFactory sockets = context.getSocketFactory();
      return mode.equals("verify-full") ? new NamedSockets(sockets) : sockets;
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      return context.getServerSocketFactory();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      return context.createSSLEngine();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      return context.createSSLEngine(host, port);
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      return context.getServerSessionContext();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      return context.getClientSessionContext();
    }
  }
}
