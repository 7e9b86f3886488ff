package tracetax.calls;

import java.util.concurrent.locks.LockSupport;
import tracetax.synthetic.Tracer;

/** The class in the place of the other one of its name: with known causes before each outer call. */
public class Recursion {

    private final Tracer tracer = new Tracer();

    /** As in the other class; it runs within a frame of the tracer, as wrappers of tracers do. */
    public int monitoredMethod(long busyNs, int depth) {
        return tracer.wrap(() -> call(busyNs, depth));
    }

    private int call(long busyNs, int depth) {
        if (depth > 1) {
            return 1 + call(busyNs, depth - 1);
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
