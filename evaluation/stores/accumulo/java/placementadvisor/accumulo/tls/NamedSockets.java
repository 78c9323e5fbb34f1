package placementadvisor.accumulo.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Sockets whose server has to have a certificate of the name that it was reached by. */
final class NamedSockets extends SSLSocketFactory {
  private final SSLSocketFactory sockets;

  NamedSockets(SSLSocketFactory sockets) {
    this.sockets = sockets;
  }

  private static Socket named(Socket socket) {
    SSLSocket encrypted = (SSLSocket) socket;
    SSLParameters parameters = encrypted.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    encrypted.setSSLParameters(parameters);
    return encrypted;
  }

  @Override
  public Socket createSocket() throws IOException {
    return named(sockets.createSocket());
  }

  @Override
  public Socket createSocket(Socket socket, String host, int port, boolean closes)
      throws IOException {
    return named(sockets.createSocket(socket, host, port, closes));
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return named(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    return named(sockets.createSocket(host, port, local, localPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return named(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    return named(sockets.createSocket(host, port, local, localPort));
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return sockets.getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return sockets.getSupportedCipherSuites();
  }
}
