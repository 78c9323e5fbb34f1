package placementadvisor.accumulo.control;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import placementadvisor.accumulo.LoginException;

/**
 * A program that does for another what it says on standard input, until that ends.
 *
 * <p>A message is its length (four bytes), a letter, the number of a lane (a byte) and so many bytes:
 * {@code D} rows as text for the load that the lane began last, or {@code C} a command as JSON, which
 * is answered by a line of JSON with the command's {@code request}. Lanes work side by side, what is said to one of
 * them is done in turn.
 */
public final class Control {
  private static final int INPUT_BYTES = 1 << 20;
  private static final char COMMAND = 'C';
  private static final char ROWS = 'D';

  private final Gson gson = new Gson();
  private final DataInputStream input;
  private final PrintStream output;
  private final Instance instance = new Instance();
  private final Map<Integer, Lane> lanes = new HashMap<>();

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
      int number = input.readUnsignedByte();
      byte[] message = input.readNBytes(length);
      if (message.length < length) {
        return;
      }
      Lane lane = lanes.computeIfAbsent(number, unknown -> new Lane(new Commands(instance)));
      if (what == ROWS) {
        lane.take(message);
      } else if (what == COMMAND) {
        JsonObject command =
            gson.fromJson(new String(message, StandardCharsets.UTF_8), JsonObject.class);
        lane.execute(commands -> answer(commands, command));
      } else {
        throw new IOException("unknown message '" + what + "'");
      }
    }
  }

  private void answer(Commands commands, JsonObject command) {
    JsonObject answer = new JsonObject();
    answer.add("request", command.get("request"));
    try {
      answer.add("answer", gson.toJsonTree(commands.done(command)));
    } catch (LoginException error) {
      answer.addProperty("refused", error.getMessage());
    } catch (Exception error) {
      answer.addProperty("failed", reason(error));
    }
    synchronized (output) {
      output.println(gson.toJson(answer));
      output.flush();
    }
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
