package placementadvisor.accumulo.tls;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * A server that is reached as Accumulo's client would reach it, to say what comes of that.
 *
 * <p>The client itself tries again for ever where TLS fails, and so it does in clear text where a
 * server wants TLS.
 */
public final class Handshake {
  private static final int PATIENCE_MS = 3_000;
  private static final int REFUSAL_MS = 1_000;

  /** The first byte of an alert of TLS. */
  private static final int ALERT = 0x15;

  /** Neither a message of TLS nor one of Accumulo's. */
  private static final byte[] NOTHING = new byte[8];

  private Handshake() {}

  /**
   * Tells whether a server speaks TLS: only such a one says why it takes no such message.
   *
   * <p>One that does not writes a line into its log.
   */
  public static boolean offered(InetSocketAddress server) {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(PATIENCE_MS);
      socket.connect(server, PATIENCE_MS);
      socket.getOutputStream().write(NOTHING);
      return socket.getInputStream().read() == ALERT;
    } catch (IOException error) {
      return false;
    }
  }

  /**
   * Returns the protocol that encrypts a connection, such as TLSv1.3.
   *
   * @throws SocketTimeoutException the server says nothing, as one does that speaks no TLS
   * @throws IOException the server's certificate is refused, or it refuses ours
   */
  public static String protocol(InetSocketAddress server, Tls tls)
      throws IOException, GeneralSecurityException {
    OwnKeys keys = new OwnKeys(tls);
    try (Socket plain = new Socket()) {
      plain.connect(server, PATIENCE_MS);
      plain.setSoTimeout(PATIENCE_MS);
      SSLSocket socket =
          (SSLSocket)
              context(tls, keys)
                  .getSocketFactory()
                  .createSocket(plain, server.getHostString(), server.getPort(), true);
      socket.startHandshake();
      if (keys.isAsked()) {
        awaitRefusal(socket);
      }
      return socket.getSession().getProtocol();
    } catch (SocketException error) {
      if (keys.isAsked()) {
        // It may end the connection before its reason is read.
        throw new IOException("the server requires a valid client certificate");
      }
      throw error;
    }
  }

  /** Waits for what the server thinks of our certificate, which TLS 1.3 tells only afterwards. */
  private static void awaitRefusal(SSLSocket socket) throws IOException {
    socket.setSoTimeout(REFUSAL_MS);
    try {
      socket.getInputStream().read();
    } catch (SocketTimeoutException error) {
      // It waits for a message, as it should.
    }
  }

  private static SSLContext context(Tls tls, OwnKeys keys)
      throws IOException, GeneralSecurityException {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(Authorities.of(tls.ca()));
    SSLContext context = SSLContext.getInstance(Contexts.named(tls.mode()));
    context.init(new KeyManager[] {keys}, trust.getTrustManagers(), null);
    return context;
  }
}
