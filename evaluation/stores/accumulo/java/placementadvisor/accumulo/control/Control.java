package placementadvisor.accumulo.control;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import placementadvisor.accumulo.LoginException;

/**
 * A program that does for another what it says on standard input, until that ends.
 *
 * <p>A message is its length (four bytes), a letter and so many bytes: {@code D} rows as text for
 * the load that was begun last, or {@code C} a command as JSON, which is answered by a line of JSON.
 */
public final class Control {
  private static final int INPUT_BYTES = 1 << 20;
  private static final char COMMAND = 'C';
  private static final char ROWS = 'D';

  private final Gson gson = new Gson();
  private final DataInputStream input;
  private final PrintStream output;
  private final Commands commands = new Commands();

  private Control(DataInputStream input, PrintStream output) {
    this.input = input;
    this.output = output;
  }

  /** Serves until standard input ends. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    // Libraries that print must not be taken for answers.
    System.setOut(System.err);
    new Control(
            new DataInputStream(new BufferedInputStream(System.in, INPUT_BYTES)), answers)
        .serve();
    // Clients leave threads behind that would keep the process.
    System.exit(0);
  }

  private void serve() throws IOException, InterruptedException {
    while (true) {
      int length;
      try {
        length = input.readInt();
      } catch (EOFException error) {
        return;
      }
      char what = (char) input.readByte();
      byte[] message = input.readNBytes(length);
      if (message.length < length) {
        return;
      }
      if (what == ROWS) {
        commands.rows(message);
      } else if (what == COMMAND) {
        answer(gson.fromJson(new String(message, StandardCharsets.UTF_8), JsonObject.class));
      } else {
        throw new IOException("unknown message '" + what + "'");
      }
    }
  }

  private void answer(JsonObject command) {
    JsonObject answer = new JsonObject();
    try {
      answer.add("answer", gson.toJsonTree(commands.done(command)));
    } catch (LoginException error) {
      answer.addProperty("refused", error.getMessage());
    } catch (Exception error) {
      answer.addProperty("failed", reason(error));
    }
    output.println(gson.toJson(answer));
    output.flush();
  }

  /** Returns what the innermost cause says. */
  private static String reason(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
