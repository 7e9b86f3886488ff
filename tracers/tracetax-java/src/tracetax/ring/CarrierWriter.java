package tracetax.ring;

import jdk.internal.vm.annotation.Contended;

/**
 * Writes the events of the virtual threads that a carrier runs, 16 bytes each. A thread may leave a call on another
 * carrier, and no room can be kept for its exit: exits look for room as entries do.
 */
@Contended
final class CarrierWriter extends Place {

    static final long EVENT = 2 * Long.BYTES;

    CarrierWriter(Thread owner, long first) {
        super(owner, 2, first);
    }

    @Override
    void begin() {
        // Each event names its thread.
    }

    /** Writes an event of now, where the room that is known is used up. The thread is pinned. */
    void putSlowly(int word, long number) {
        if (room()) {
            put(word, number);
        } else if ((word & 1) == 0) {
            leaveOut();
        }
    }

    /** Writes an event of another moment. The thread is pinned, or is none that could leave its carrier. */
    void write(long event, long number) {
        if (written <= limit || room()) {
            store(event, number);
        } else if ((event & 1) == 0) {
            leaveOut();
        }
    }

    private boolean room() {
        if (!find(EVENT)) {
            return false;
        }
        limit = seen + ring.size - EVENT;
        return true;
    }

    void put(int word, long number) {
        store(stamp() << Layout.TIME | word, number);
    }

    private void store(long event, long number) {
        long at = buffer + (written & mask);
        U.putLong(at, event);
        U.putLong(at + Long.BYTES, number);
        U.putLongRelease(null, page + Layout.WRITTEN, written + EVENT);
        written += EVENT;
    }
}
