package placementadvisor.accumulo.control;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** Does what it is told in turn, in a thread of its own. */
final class Lane {
  private static final int WAITING_CHUNKS = 8;

  private final Commands commands;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread made = new Thread(work);
            made.setDaemon(true);
            return made;
          });
  private final Semaphore room = new Semaphore(WAITING_CHUNKS);

  Lane(Commands commands) {
    this.commands = commands;
  }

  /** Has a command carried out. */
  void execute(Consumer<Commands> work) {
    thread.execute(() -> work.accept(commands));
  }

  /** Takes rows for the load; waits while too many are still to be taken. */
  void take(byte[] text) throws InterruptedException {
    room.acquire();
    thread.execute(
        () -> {
          try {
            commands.rows(text);
          } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
          } finally {
            room.release();
          }
        });
  }
}
