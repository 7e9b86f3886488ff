package tracetax.ring;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The lock of all tables here. It is no monitor, which a virtual thread would leave its carrier for. It is held for
 * microseconds, and never while a file is made.
 */
final class Gate {

    private static final AtomicReference<Thread> HOLDER = new AtomicReference<>();

    private Gate() {
    }

    static void enter() {
        Thread self = Thread.currentThread();
        if (HOLDER.compareAndSet(null, self)) {
            return;
        }
        for (int tries = 0; !HOLDER.compareAndSet(null, self); tries++) {
            if (tries < 100) {
                Thread.onSpinWait();
            } else {
                Pause.sleep(20_000);
            }
        }
        Pause.end();
    }

    static void leave() {
        HOLDER.set(null);
    }
}
