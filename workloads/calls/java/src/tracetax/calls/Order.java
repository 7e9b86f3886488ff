package tracetax.calls;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A stretch of work that is asked for: the words of a "prepare" line (docs/self-driving.md).
 *
 * @param calls the most operations, over all threads; 0 is no limit
 * @param durationNs the longest time; 0 is no limit
 * @param rate operations a second over all threads; 0 is as fast as it goes
 * @param moments seed of the moments at which operations start at a rate; 0 is the beginning of each slot
 * @param threads that call
 * @param depth calls in one another that make one operation
 * @param busyNs time that the innermost call burns; below 0, time that it sleeps
 * @param virtual whether the threads are virtual
 * @param samples prefix of the files that every duration goes to; null keeps none
 * @param batches file of the heap's course; null keeps none
 */
record Order(long calls, long durationNs, double rate, long moments, int threads, int depth, long busyNs, boolean virtual,
        Path samples, Path batches) {

    private static final int DEPTH = 10; // where nobody says it
    private static final int MOST_THREADS = 1024;
    private static final int MOST_DEPTH = 4096; // the stack holds more, also with the frames of a tracer

    /** Reads the words that follow "prepare". */
    static Order parse(String line) {
        Map<String, String> words = new HashMap<>();
        for (String word : line.split(" ")) {
            if (word.isEmpty()) {
                continue;
            }
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("the word \"" + word + "\" is not of the form name=value");
            }
            if (words.put(word.substring(0, equals), word.substring(equals + 1)) != null) {
                throw new IllegalArgumentException("the word \"" + word.substring(0, equals) + "\" stands there twice");
            }
        }
        Order order = new Order(whole(words, "calls", 0), whole(words, "duration_ns", 0), number(words, "rate"),
                whole(words, "moments", 0), between(words, "threads", MOST_THREADS, 1), between(words, "depth", MOST_DEPTH, DEPTH),
                inner(whole(words, "busy_ns", 0), whole(words, "sleep_ns", 0)), whole(words, "virtual", 0) > 0,
                path(words, "samples"), path(words, "batches"));
        words.remove("seed"); // no operation is left to chance
        if (!words.isEmpty()) {
            throw new IllegalArgumentException("unknown word \"" + words.keySet().iterator().next() + "\"");
        }
        if (order.calls == 0 && order.durationNs == 0) {
            throw new IllegalArgumentException("neither calls nor duration_ns is given");
        }
        if (order.virtual && !Virtual.there()) {
            throw new IllegalArgumentException("virtual=1 needs JDK 21 or newer, and this is " + Runtime.version().feature()
                    + ": leave the operation out (operations: [call]), or choose another JDK (env: {TRACETAX_JDK: newest})");
        }
        return order;
    }

    /** What the innermost call does: burns time, or below 0 sleeps. */
    private static long inner(long busyNs, long sleepNs) {
        if (busyNs > 0 && sleepNs > 0) {
            throw new IllegalArgumentException("the innermost call either burns time (busy_ns) or sleeps (sleep_ns)");
        }
        return busyNs - sleepNs;
    }

    /** Whether the work falls due at a rate, instead of being made as fast as it goes. */
    boolean fixedRate() {
        return rate > 0;
    }

    /** Whether the durations are handed over. */
    boolean kept() {
        return samples != null;
    }

    private static long whole(Map<String, String> words, String name, long otherwise) {
        String value = words.remove(name);
        if (value == null) {
            return otherwise;
        }
        try {
            long number = Long.parseLong(value);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(name + "=" + value + " is not a whole number from 0");
    }

    private static int between(Map<String, String> words, String name, int most, int otherwise) {
        long value = whole(words, name, otherwise);
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + "=" + value + " is not between 1 and " + most);
        }
        return (int) value;
    }

    private static double number(Map<String, String> words, String name) {
        String value = words.remove(name);
        if (value == null) {
            return 0;
        }
        try {
            double number = Double.parseDouble(value);
            if (number >= 0 && number <= 1e9) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(name + "=" + value + " is not a number between 0 and 1e9");
    }

    private static Path path(Map<String, String> words, String name) {
        String value = words.remove(name);
        return value == null || value.isEmpty() ? null : Path.of(value);
    }
}
