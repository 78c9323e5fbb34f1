package placementadvisor.accumulo;

/** An instance that does not answer, or that refuses the user. */
public final class LoginException extends Exception {
  private static final long serialVersionUID = 1;

  /** Tells why. */
  public LoginException(String reason) {
    super(reason);
  }
}
