package placementadvisor.accumulo.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

/** Certificates of authorities, and key stores, which are all that Accumulo's client reads. */
final class Authorities {
  static final String TYPE = "PKCS12";

  /** A key store has to have one; what is in it is public. */
  static final String PASSWORD = "authorities";

  private Authorities() {}

  /** Returns the certificates in a file of PEM; none for an empty name. */
  static KeyStore of(String ca) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(TYPE);
    store.load(null, null);
    if (ca.isEmpty()) {
      return store;
    }
    try (InputStream pem = Files.newInputStream(Path.of(ca))) {
      int number = 0;
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        store.setCertificateEntry("authority " + number++, each);
      }
    }
    return store;
  }

  /** Returns the name of a new file with these certificates, which lasts as long as the process. */
  static String written(String ca) throws IOException, GeneralSecurityException {
    Path file = Files.createTempFile("placement-advisor-authorities", ".p12");
    file.toFile().deleteOnExit();
    try (OutputStream output = Files.newOutputStream(file)) {
      of(ca).store(output, PASSWORD.toCharArray());
    }
    return file.toString();
  }

  /** Reads a key store. */
  static KeyStore read(String path, String password) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(TYPE);
    try (InputStream content = Files.newInputStream(Path.of(path))) {
      store.load(content, password.toCharArray());
    }
    return store;
  }
}
