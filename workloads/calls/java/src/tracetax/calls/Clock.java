package tracetax.calls;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * What the timed loop costs by itself: operations of depth 1, which the JIT reduces to
 * nothing, beside as many bare readings of the clock, in turn in one JVM.
 */
final class Clock {

    private static final int ROUNDS = 15;
    private static final int CALLS = 2_000_000;

    private static long sink; // keeps the bare readings alive

    private Clock() {
    }

    /** Prints the medians, in nanoseconds a call, and their ratio. */
    static void compare() {
        double[] bare = new double[ROUNDS];
        double[] timed = new double[ROUNDS];
        for (int round = -5; round < ROUNDS; round++) {
            double clock = read();
            double loop = loop();
            if (round >= 0) { // before that, the JIT is at work
                bare[round] = clock;
                timed[round] = loop;
            }
        }
        Arrays.sort(bare);
        Arrays.sort(timed);
        double clock = bare[ROUNDS / 2];
        double loop = timed[ROUNDS / 2];
        System.out.printf("clock_ns=%.2f loop_ns=%.2f ratio=%.3f%n", clock, loop, loop / clock);
    }

    private static double read() {
        long begin = System.nanoTime();
        long now = begin;
        for (int i = 0; i < CALLS; i++) {
            now = System.nanoTime();
            sink += now;
        }
        return (double) (now - begin) / CALLS;
    }

    /** The loop that all durations are taken in, its durations kept. */
    private static double loop() {
        Caller caller = new Caller(new Order(CALLS, 0, 0, 0, 1, 1, 0, false, Path.of("unwritten"), null), 0,
                new CountDownLatch(0), null, new Meters());
        caller.run();
        return (double) caller.callNs / CALLS;
    }
}
