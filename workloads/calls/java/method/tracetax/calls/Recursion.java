package tracetax.calls;

import java.util.concurrent.locks.LockSupport;

/**
 * The method that tracers instrument. It is the only class that they are told of, and
 * it is compiled for Java 8, as the oldest of them reads nothing newer.
 */
public class Recursion {

    /**
     * Calls itself until {@code depth} calls lie in one another; the innermost burns time, or sleeps.
     *
     * @param busyNs nanoseconds that the innermost call takes at least; 0 reads no clock; below 0, how long it sleeps
     * @param depth calls that are still to be made, this one included; at least 1
     * @return the number of calls made, so that none can be left out unseen
     */
    public int monitoredMethod(long busyNs, int depth) {
        if (depth > 1) {
            return 1 + monitoredMethod(busyNs, depth - 1);
        }
        if (busyNs < 0) {
            LockSupport.parkNanos(-busyNs);
        } else if (busyNs > 0) {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < busyNs) {
                // the work of the innermost call
            }
        }
        return 1;
    }
}
