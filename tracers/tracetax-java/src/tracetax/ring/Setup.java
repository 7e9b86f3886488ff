package tracetax.ring;

import java.io.File;
import java.lang.invoke.MethodHandle;

/** Takes the agent's decisions before the first event. The classes beside it copy them into constants, and the JIT folds those. */
public final class Setup {

    public static File folder; // of this program, where its rings lie
    public static File reader; // the reader's page
    public static long first; // bytes of a thread's first ring; a power of two
    public static long largest; // bytes that a ring may grow to
    public static long memory; // bytes of all rings
    public static boolean waits; // a thread without room waits for the reader
    public static int clock; // one of Clock's kinds
    public static MethodHandle ticks; // ()long, for Clock.HANDLE
    public static long clockPage; // address of the reader's clock, for Clock.PAGE
    public static int reads = 2; // clock reads a call: 2 or 6
    public static String metadata = "number"; // what a call carries of its method: number, text, map
    public static String tree = "order"; // how its parent is known: order, reference, array, stack
    public static String store = "ring"; // where its data are: ring, objects, pool
    public static String queue = "ring"; // what it passes to be written: ring, mpsc, blocking
    public static String unit = "event"; // what is handed over at once: event, span, trace
    public static long alive; // address of this program's page
    public static MethodHandle isVirtual; // (Thread)boolean; null where there are no virtual threads
    public static MethodHandle carrier; // ()Thread
    public static MethodHandle pin; // ()void; keeps a virtual thread on its carrier
    public static MethodHandle unpin; // ()void

    private Setup() {
    }
}
