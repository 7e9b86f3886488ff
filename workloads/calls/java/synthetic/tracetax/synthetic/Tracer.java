package tracetax.synthetic;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.function.IntSupplier;

/** No tracer, but known causes in its place: what each method burns or waits is asked for by a variable, in milliseconds. */
public final class Tracer {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long SERIALISING = nanoseconds("SYNTHETIC_SERIALISING");
    private static final long CLOCK = nanoseconds("SYNTHETIC_CLOCK");
    private static final long METADATA = nanoseconds("SYNTHETIC_METADATA");
    private static final long LOCK = nanoseconds("SYNTHETIC_LOCK");
    private static final long OWN = nanoseconds("SYNTHETIC_OWN");

    private final LinkedBlockingQueue<Boolean> handed = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Boolean> asked = new LinkedBlockingQueue<>();
    private final SynchronousQueue<Boolean> held = new SynchronousQueue<>();
    private final Object lock = new Object();

    public Tracer() {
        if (OWN > 0) {
            start("synthetic worker", () -> {
                handed.take();
                burn(OWN);
            });
        }
        if (LOCK > 0) {
            start("synthetic holder", () -> {
                asked.take();
                synchronized (lock) {
                    held.put(true);
                    Thread.sleep(LOCK / 1_000_000, (int) (LOCK % 1_000_000));
                }
            });
        }
    }

    /** Calls the program, after the causes. */
    public int wrap(IntSupplier program) {
        serialise();
        readClock();
        describe();
        if (LOCK > 0) {
            waitForLock();
        }
        if (OWN > 0) {
            handed.add(true);
        }
        return program.getAsInt();
    }

    private static void serialise() {
        burn(SERIALISING);
    }

    private static void readClock() {
        burn(CLOCK);
    }

    private static void describe() {
        burn(METADATA);
    }

    /** Waits for a lock that another thread holds for as long as is asked. */
    private void waitForLock() {
        asked.add(true);
        try {
            held.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts a caller", e);
        }
        synchronized (lock) {
            lock.notifyAll(); // the lock was had
        }
    }

    /** Uses so much CPU time of this thread. */
    private static void burn(long nanoseconds) {
        if (nanoseconds == 0) {
            return;
        }
        long end = THREADS.getCurrentThreadCpuTime() + nanoseconds;
        while (THREADS.getCurrentThreadCpuTime() < end) {
            // it is the clock that burns
        }
    }

    private interface Step {
        void make() throws InterruptedException;
    }

    private static void start(String name, Step step) {
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    step.make();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // it ends
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static long nanoseconds(String variable) {
        String text = System.getenv(variable);
        if (text == null) {
            return 0;
        }
        return (long) (Double.parseDouble(text) * 1_000_000);
    }
}
