package placementadvisor.accumulo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.util.List;
import placementadvisor.accumulo.tls.Handshake;
import placementadvisor.accumulo.tls.Tls;

/**
 * How some servers of an instance are reached: with TLS that is settled, by a protocol.
 *
 * @param protocol the one that encrypts connections, null where they are in clear text
 */
record Reached(List<InetSocketAddress> servers, Tls tls, String protocol) {
  private static final String NO_TLS = "the server does not support SSL";

  /** Servers are asked until so many have answered: one authority signs for all of them. */
  private static final int ENOUGH = 3;

  /**
   * Asks servers, {@code host:port} each.
   *
   * @throws LoginException TLS with one of them fails
   */
  static Reached of(List<String> servers, Tls tls) throws LoginException {
    List<InetSocketAddress> some = servers.stream().limit(ENOUGH).map(Reached::address).toList();
    String protocol = null;
    if (!tls.mode().equals(Tls.DISABLE)) {
      for (InetSocketAddress each : some) {
        protocol = protocol(each, tls);
      }
    }
    if (tls.mode().equals(Tls.PREFER)) {
      return new Reached(some, tls.with(protocol == null ? Tls.DISABLE : Tls.REQUIRE), protocol);
    }
    return new Reached(some, tls, protocol);
  }

  /** Refuses servers that want TLS where it is not to be had. */
  void refuseClearText() throws LoginException {
    if (protocol == null && servers.stream().anyMatch(Handshake::offered)) {
      throw new LoginException("no encryption, which the server demands");
    }
  }

  private static String protocol(InetSocketAddress server, Tls tls) throws LoginException {
    boolean isPreferred = tls.mode().equals(Tls.PREFER);
    try {
      return Handshake.protocol(server, isPreferred ? tls.with(Tls.REQUIRE) : tls);
    } catch (SocketTimeoutException error) {
      // A server without TLS waits for the rest of what it takes for a message, a busy one for time.
      if (Handshake.offered(server)) {
        throw new LoginException("the server does not answer in time");
      }
      if (isPreferred) {
        return null;
      }
      throw new LoginException(NO_TLS);
    } catch (IOException | GeneralSecurityException error) {
      throw new LoginException(reason(error));
    }
  }

  /** Returns what the innermost cause says. */
  private static String reason(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage());
  }

  private static InetSocketAddress address(String server) {
    int colon = server.lastIndexOf(':');
    return new InetSocketAddress(
        server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
  }
}
