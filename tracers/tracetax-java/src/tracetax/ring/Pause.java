package tracetax.ring;

import jdk.internal.misc.Unsafe;

/**
 * Waiting inside of somebody else's thread: the interrupt flag stays as it is, and a virtual thread stays on its carrier,
 * which waits with it.
 */
final class Pause {

    private static final Unsafe U = Unsafe.getUnsafe();

    private Pause() {
    }

    /** Waits for so many nanoseconds at most. It may take a permit that LockSupport.unpark left: call end afterwards. */
    static void sleep(long nanoseconds) {
        long before = System.nanoTime();
        U.park(false, nanoseconds);
        if (System.nanoTime() - before < nanoseconds / 2) {
            Thread.onSpinWait(); // a permit was there, or the thread is interrupted
        }
    }

    /** Leaves a permit, in case that one was taken: a park that returns early is allowed, one that never returns is not. */
    static void end() {
        U.unpark(Carriers.current());
    }
}
