package tracetax.calls;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the JVM tells of itself: CPU time, allocation, heap and garbage collection. */
final class Meters {

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();

    /** CPU time of the thread that asks, in nanoseconds. */
    long threadCpu() {
        return threads.getCurrentThreadCpuTime();
    }

    /** Bytes that the thread that asks has allocated. */
    long threadAllocated() {
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** Bytes that each living thread has allocated, by its id. */
    Map<Long, Long> allocated() {
        long[] ids = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        Map<Long, Long> byThread = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            if (bytes[i] > 0) {
                byThread.put(ids[i], bytes[i]);
            }
        }
        return byThread;
    }

    /** Heap in use, in bytes. */
    long heap() {
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** Collections since the start of the JVM. */
    long collections() {
        return collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    /** Time that collections took since the start of the JVM, in nanoseconds; the JVM counts milliseconds. */
    long collectionNs() {
        return collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum() * 1_000_000;
    }
}
