package tracetax.ring;

import java.lang.invoke.MethodHandle;

/** Asks the JDK about virtual threads. Before 21 there are none. */
final class Carriers {

    static final boolean EXIST = Setup.isVirtual != null;

    private static final MethodHandle IS_VIRTUAL = Setup.isVirtual;
    private static final MethodHandle CARRIER = Setup.carrier;
    private static final MethodHandle PIN = Setup.pin;
    private static final MethodHandle UNPIN = Setup.unpin;

    private Carriers() {
    }

    static boolean isVirtual(Thread thread) {
        try {
            return EXIST && (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Returns the thread of the operating system that runs this code. */
    static Thread current() {
        if (!EXIST) {
            return Thread.currentThread();
        }
        try {
            return (Thread) CARRIER.invokeExact();
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Keeps the current virtual thread on its carrier, whatever it waits for. */
    static void pin() {
        try {
            PIN.invokeExact();
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    static void unpin() {
        try {
            UNPIN.invokeExact();
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private static RuntimeException failed(Throwable e) {
        if (e instanceof Error) {
            throw (Error) e; // a stack that is full
        }
        return new IllegalStateException("asking the JDK for a thread's carrier", e);
    }
}
