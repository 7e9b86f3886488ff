package tracetax.calls;

import java.lang.reflect.Method;

/** Virtual threads, by reflection: the program is compiled for a JDK that has none. */
final class Virtual {

    private static final Method BUILDER = builder();

    private Virtual() {
    }

    /** Whether this JDK has virtual threads. */
    static boolean there() {
        return BUILDER != null;
    }

    /** A virtual thread that has not started. */
    static Thread thread(Runnable task) {
        try {
            return (Thread) Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class)
                    .invoke(BUILDER.invoke(null), task);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("making a virtual thread: " + e, e);
        }
    }

    private static Method builder() {
        try {
            return Thread.class.getMethod("ofVirtual");
        } catch (NoSuchMethodException e) {
            return null; // before JDK 21
        }
    }
}
