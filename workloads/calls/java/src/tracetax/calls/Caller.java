package tracetax.calls;

import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * One calling thread's part of a stretch of work.
 *
 * <p>Operations are made in bursts. Within a burst the end of an operation is the start
 * of the next, so that each costs one reading of the clock and one store. All else is
 * looked at between bursts only.
 */
final class Caller implements Runnable {

    private static final int BURST = 1000; // so few that the JIT compiles call() early in the warm-up
    private static final long SLOT_NS = 1_000_000; // operations that fall due within it start together
    private static final long GRACE_NS = 100_000_000; // for what had fallen due when the duration ended
    private static final long MOST_SAMPLES = 1 << 24; // where the number of operations is not ordered
    private static final int LINES = 100; // of the heap's course

    // One for all: a tracer that records constructors too records one.
    private static final Recursion RECURSION = new Recursion();

    private final Order order;
    private final int number;
    private final long share; // the most operations of this thread
    private final long room; // places that durations are kept in; beyond, the first are taken again
    private final double linesByCall; // hundredths of the stretch that an operation is
    private final double linesByNs;
    private final Samples durations = new Samples();
    private final Samples lags = new Samples();
    private final CountDownLatch go;
    private final Course course; // null: kept by another thread, or not at all
    private final Meters meters;
    private final SplittableRandom moments;

    private int line; // hundredths of the stretch that are over
    private long intended; // clock at which the operations of a slot are to start
    private long ended; // clock at the end of the last operation

    // What is read when the thread has ended.
    long made;
    long failed;
    long callNs;
    long beganNs;
    long endedNs;
    long cpuNs;
    long allocatedBytes;

    /** Makes room for all that the thread will keep. */
    Caller(Order order, int number, CountDownLatch go, Course course, Meters meters) {
        this.order = order;
        this.number = number;
        this.go = go;
        this.course = course;
        this.meters = meters;
        this.moments = new SplittableRandom(order.moments() + number);
        this.share = share();
        // Reckoned here, so that a warm-up and a measured stretch take the same way through the
        // loops below: a branch first taken when it is measured would throw compiled code away.
        this.room = order.kept() ? Long.MAX_VALUE : Samples.CHUNK;
        this.linesByCall = share == Long.MAX_VALUE ? 0 : (double) LINES / share;
        this.linesByNs = order.durationNs() == 0 ? 0 : (double) LINES / order.durationNs();
        durations.reserve(order.kept() ? share : 1);
        lags.reserve(order.kept() && order.fixedRate() ? share : 1);
    }

    private long share() {
        long share = Long.MAX_VALUE;
        if (order.calls() > 0) {
            share = order.calls() / order.threads() + (number < order.calls() % order.threads() ? 1 : 0);
        }
        if (order.fixedRate() && order.durationNs() > 0) {
            return Math.min(share, due(order.durationNs() - 1));
        }
        if (order.kept() && order.calls() == 0) {
            return MOST_SAMPLES;
        }
        return share;
    }

    /** Makes the thread's operations between two readings of its own meters. */
    @Override
    public void run() {
        if (!mayGo()) {
            return;
        }
        long cpu = order.virtual() ? 0 : meters.threadCpu();
        long allocated = order.virtual() ? 0 : meters.threadAllocated();
        beganNs = System.nanoTime();
        ended = beganNs;
        if (order.fixedRate()) {
            makeAtRate();
        } else {
            makeAll();
        }
        endedNs = ended;
        cpuNs = order.virtual() ? 0 : meters.threadCpu() - cpu;
        allocatedBytes = order.virtual() ? 0 : meters.threadAllocated() - allocated;
    }

    /** Waits for "run"; false where another "prepare" came instead, which interrupts. */
    private boolean mayGo() {
        try {
            go.await();
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** As fast as it goes, until the calls or the time are used up. */
    private void makeAll() {
        boolean timed = order.durationNs() > 0;
        while (made < share && (!timed || ended - beganNs < order.durationNs())) {
            long nextLine = share / LINES * (line + 1);
            long most = line + 1 < LINES && nextLine > made ? nextLine - made : share - made;
            long length = line + 1 < LINES ? order.durationNs() / LINES * (line + 1) : order.durationNs();
            burst(System.nanoTime(), most, timed ? beganNs + length : Long.MAX_VALUE);
            keepCourse();
        }
    }

    /**
     * Makes the operations of each slot at a random moment of it, then waits for the next slot that has some: the period of
     * an operation or, of more frequent ones, a millisecond. What has fallen due within the duration is made after it too,
     * where the thread woke late.
     */
    private void makeAtRate() {
        long duration = order.durationNs() > 0 ? order.durationNs() : Long.MAX_VALUE;
        long period = (long) (1e9 / order.rate());
        while (made < share) {
            long begin = Math.round(offsetNs() + made * intervalNs());
            if (period < SLOT_NS) {
                begin -= begin % SLOT_NS;
            }
            long length = Math.min(Math.max(period, SLOT_NS), duration - begin); // the last one may be cut off
            long start = order.moments() > 0 ? begin + moments.nextLong(length) : begin;
            intended = beganNs + start;
            long now = await(intended);
            long due = Math.min(share, Math.max(made + 1, due(begin + length - 1)));
            while (made < due) {
                if (order.durationNs() > 0 && now - beganNs >= order.durationNs() + GRACE_NS) {
                    return;
                }
                burst(now, due - made, Long.MAX_VALUE);
                now = ended;
            }
            keepCourse();
        }
    }

    /** Operations of this thread that have fallen due so long after the stretch's start. */
    private long due(long ns) {
        return (long) Math.floor((ns - offsetNs()) / intervalNs()) + 1;
    }

    /** When the first operation of this thread is due: the threads take turns. */
    private double offsetNs() {
        return 1e9 * number / order.rate();
    }

    /** Time between the intended starts of two operations of this thread. */
    private double intervalNs() {
        return 1e9 * order.threads() / order.rate();
    }

    private static long await(long time) {
        for (;;) {
            long now = System.nanoTime();
            if (now - time >= 0) {
                return now;
            }
            LockSupport.parkNanos(time - now);
        }
    }

    /**
     * Makes at most so many operations, fewer where an array or BURST ends or the clock
     * passes a time. The first starts at begin.
     */
    private void burst(long begin, long most, long until) {
        long place = made % room;
        int from = (int) (place % Samples.CHUNK);
        int to = from + (int) Math.min(Math.min(Samples.CHUNK - from, BURST), most);
        int end = to;
        if (order.fixedRate()) {
            callLate(durations.chunk(place), lags.chunk(place), from, to, begin);
        } else {
            end = call(durations.chunk(place), from, to, begin, until);
        }
        callNs += ended - begin;
        made += end - from;
    }

    /** The timed loop. Returns the place after the last operation. */
    private int call(LongBuffer durations, int from, int to, long begin, long until) {
        int depth = order.depth();
        long busy = order.busyNs();
        long before = begin;
        int place = from;
        while (place < to && before - until < 0) {
            if (!whole(busy, depth)) {
                failed++;
            }
            long now = System.nanoTime();
            durations.put(place++, now - before);
            before = now;
        }
        ended = before;
        return place;
    }

    /** The timed loop of work at a fixed rate: how late an operation starts is kept too. */
    private void callLate(LongBuffer durations, LongBuffer lags, int from, int to, long begin) {
        int depth = order.depth();
        long busy = order.busyNs();
        long before = begin;
        for (int place = from; place < to; place++) {
            if (!whole(busy, depth)) {
                failed++;
            }
            long now = System.nanoTime();
            durations.put(place, now - before);
            lags.put(place, Math.max(0, before - intended));
            before = now;
        }
        ended = before;
    }

    /** One operation: whether as many calls were made as it asks for. */
    private boolean whole(long busy, int depth) {
        try {
            return RECURSION.monitoredMethod(busy, depth) == depth;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Reads the heap, where another hundredth of the stretch is over. */
    private void keepCourse() {
        int over = hundredths();
        if (over <= line) {
            return;
        }
        line = over;
        if (course != null) {
            course.add(made);
        }
    }

    private int hundredths() {
        return (int) Math.min(LINES, Math.max(made * linesByCall, (ended - beganNs) * linesByNs));
    }

    /** Writes the durations, and of work at a fixed rate the lags. Returns how many operations they are of. */
    long write() throws IOException {
        durations.write(Path.of(order.samples() + "." + number), made);
        if (order.fixedRate()) {
            lags.write(Path.of(order.samples() + "." + number + ".lag"), made);
        }
        return made;
    }
}
