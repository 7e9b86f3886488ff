package tracetax.calls;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.ToLongFunction;

/** A stretch of work: prepared, made once, and written. */
final class Stretch {

    private final Order order;
    private final Meters meters;
    private final Course course;
    private final CountDownLatch go = new CountDownLatch(1);
    private final List<Caller> callers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean made;

    /** Allocates all that the work needs and starts its threads, which wait. */
    Stretch(Order order, Meters meters) {
        this.order = order;
        this.meters = meters;
        this.course = new Course(meters);
        for (int i = 0; i < order.threads(); i++) {
            Caller caller = new Caller(order, i, go, i == 0 ? course : null, meters);
            callers.add(caller);
            threads.add(order.virtual() ? Virtual.thread(caller) : new Thread(caller, "calls-" + i));
        }
        threads.forEach(Thread::start);
    }

    /** Ends the threads of work that is not wanted any more. */
    void cancel() {
        if (!made) {
            threads.forEach(Thread::interrupt);
        }
    }

    /** Makes the operations, and returns the words of the answer. */
    String make() throws InterruptedException {
        if (made) {
            throw new IllegalStateException("this order was run already; prepare another");
        }
        made = true;
        course.begin();
        Map<Long, Long> allocated = meters.allocated();
        long collections = meters.collections();
        long collectionNs = meters.collectionNs();
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        collections = meters.collections() - collections;
        collectionNs = meters.collectionNs() - collectionNs;
        long byCallers = sum(caller -> caller.allocatedBytes);
        String ofCallers = order.virtual() ? "" // the JVM has no meters of virtual threads
                : " thread_cpu_ns=" + sum(caller -> caller.cpuNs) + " allocated_callers_bytes=" + byCallers;
        return "started=" + sum(caller -> caller.made)
                + " failed=" + sum(caller -> caller.failed)
                + " wall_ns=" + wall()
                + " call_ns=" + sum(caller -> caller.callNs)
                + ofCallers
                + " allocated_bytes=" + (byCallers + byOthers(allocated))
                + " gc_count=" + collections
                + " gc_ns=" + collectionNs
                + " heap_peak_bytes=" + Math.max(course.peak(), meters.heap());
    }

    private long sum(ToLongFunction<Caller> of) {
        return callers.stream().mapToLong(of).sum();
    }

    private long wall() {
        long began = callers.get(0).beganNs;
        long ended = callers.get(0).endedNs;
        for (Caller caller : callers) {
            began = caller.beganNs - began < 0 ? caller.beganNs : began;
            ended = caller.endedNs - ended > 0 ? caller.endedNs : ended;
        }
        return ended - began;
    }

    /**
     * Bytes that other threads than the calling ones have allocated since before was read, but for
     * the one that asks. A thread that began and ended in between is not seen.
     */
    private long byOthers(Map<Long, Long> before) {
        Map<Long, Long> now = meters.allocated();
        now.remove(Thread.currentThread().getId());
        threads.forEach(thread -> now.remove(thread.getId()));
        return now.entrySet().stream()
                .mapToLong(entry -> entry.getValue() - before.getOrDefault(entry.getKey(), 0L)).sum();
    }

    /** Writes the files that the order names. Returns the number of durations. */
    long write() throws IOException {
        if (!made || !order.kept()) {
            throw new IllegalStateException("there is nothing to write: no order with samples= was run");
        }
        long written = 0;
        for (Caller caller : callers) {
            written += caller.write();
        }
        if (order.batches() != null) {
            course.write(order.batches());
        }
        return written;
    }
}
