package placementadvisor.accumulo.tls;

import java.io.IOException;
import java.io.Serializable;
import java.security.GeneralSecurityException;
import java.security.Security;
import java.util.Properties;

/**
 * How an instance's servers are reached over TLS.
 *
 * @param mode {@code prefer}, {@code disable}, {@code require}, {@code verify-ca} or {@code
 *     verify-full}
 * @param ca the file (PEM) with certificates of the authorities; empty where nothing is verified
 * @param keyStore the file (PKCS#12) with our certificate and key; empty for none
 */
public record Tls(String mode, String ca, String keyStore, String keyStorePassword)
    implements Serializable {
  public static final String PREFER = "prefer";
  public static final String DISABLE = "disable";
  public static final String REQUIRE = "require";

  static {
    Security.addProvider(new Contexts());
  }

  /** Returns the same with another mode. */
  public Tls with(String other) {
    return new Tls(other, ca, keyStore, keyStorePassword);
  }

  /** Says to a client how it encrypts; nothing of it for clear text. */
  public void put(Properties properties) throws IOException, GeneralSecurityException {
    if (mode.equals(DISABLE)) {
      return;
    }
    properties.setProperty("ssl.enabled", "true");
    // Accumulo's client makes a context by this name for each connection.
    properties.setProperty("rpc.ssl.client.protocol", Contexts.named(mode));
    // It takes authorities from a key store alone, and there has to be one.
    properties.setProperty("ssl.truststore.path", Authorities.written(ca));
    properties.setProperty("ssl.truststore.password", Authorities.PASSWORD);
    properties.setProperty("ssl.truststore.type", Authorities.TYPE);
    if (!keyStore.isEmpty()) {
      properties.setProperty("ssl.keystore.path", keyStore);
      properties.setProperty("ssl.keystore.password", keyStorePassword);
      properties.setProperty("ssl.keystore.type", Authorities.TYPE);
    }
  }

  /** Says how, without the password. */
  @Override
  public String toString() {
    return mode;
  }
}
