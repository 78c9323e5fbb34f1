package placementadvisor.accumulo.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;

/** Our key, if there is one; remembers whether a server has asked for it. */
final class OwnKeys extends X509ExtendedKeyManager {
  private final X509KeyManager keys;
  private volatile boolean isAsked;

  OwnKeys(Tls tls) throws IOException, GeneralSecurityException {
    if (tls.keyStore().isEmpty()) {
      keys = null;
      return;
    }
    KeyManagerFactory made =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    made.init(
        Authorities.read(tls.keyStore(), tls.keyStorePassword()),
        tls.keyStorePassword().toCharArray());
    keys = (X509KeyManager) made.getKeyManagers()[0];
  }

  boolean isAsked() {
    return isAsked;
  }

  @Override
  public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
    isAsked = true;
    return keys == null ? null : keys.chooseClientAlias(types, issuers, socket);
  }

  @Override
  public String[] getClientAliases(String type, Principal[] issuers) {
    return keys == null ? null : keys.getClientAliases(type, issuers);
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return keys == null ? null : keys.getCertificateChain(alias);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return keys == null ? null : keys.getPrivateKey(alias);
  }

  @Override
  public String[] getServerAliases(String type, Principal[] issuers) {
    return null;
  }

  @Override
  public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
    return null;
  }
}
