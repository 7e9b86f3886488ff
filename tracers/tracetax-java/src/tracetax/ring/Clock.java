package tracetax.ring;

import java.lang.invoke.MethodHandle;
import jdk.internal.misc.Unsafe;

/** The clock of the stamps. Its kind is a constant: the JIT leaves one path. */
public final class Clock {

    public static final int NANO = 0; // System.nanoTime
    public static final int HANDLE = 1; // the processor's counter, by a handle to machine code
    public static final int LIBRARY = 2; // the processor's counter, by a JNI library
    public static final int PAGE = 3; // the page that the reader keeps writing

    public static final int WALL = 4; // System.currentTimeMillis, counted as nanoTime does

    private static final int KIND = Setup.clock;
    private static final MethodHandle TICKS = Setup.ticks;
    private static final long AT = Setup.clockPage;
    private static final long APART = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
    private static final Unsafe U = Unsafe.getUnsafe();

    private Clock() {
    }

    /** Returns the counter: nanoseconds, or ticks of the processor. */
    public static long now() {
        if (KIND == HANDLE) {
            return handle();
        }
        if (KIND == LIBRARY) {
            return Ticks.read();
        }
        if (KIND == PAGE) {
            long time = U.getLongOpaque(null, AT);
            return time == 0 ? System.nanoTime() : time;
        }
        if (KIND == WALL) {
            return System.currentTimeMillis() * 1_000_000 - APART;
        }
        return System.nanoTime();
    }

    private static long handle() {
        try {
            return (long) TICKS.invokeExact();
        } catch (Throwable e) {
            throw new IllegalStateException("reading the processor's counter", e); // the code has no way to throw
        }
    }
}
