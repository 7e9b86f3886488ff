package tracetax.ring;

import jdk.internal.vm.annotation.Contended;

/**
 * Writes the events of the virtual threads that a carrier runs, 16 bytes each. A thread may leave a call on another
 * carrier, so that no room is kept for exits: they look for it as entries do.
 */
@Contended
final class CarrierWriter extends Place {

    static final long EVENT = 2 * Long.BYTES;

    CarrierWriter(Thread owner) {
        super(owner, 2);
    }

    @Override
    void begin() {
        // Each event names its thread.
    }

    /** Writes an event where the room that is known is used up. The thread is pinned. */
    void putSlowly(int word, long number) {
        if (!find(EVENT)) {
            if ((word & 1) == 0) {
                leaveOut();
            }
            return;
        }
        limit = seen + ring.size - EVENT;
        put(word, number);
    }

    void put(int word, long number) {
        long at = buffer + (written & mask);
        U.putLong(at, stamp() << Layout.TIME | word);
        U.putLong(at + Long.BYTES, number);
        U.putLongRelease(null, page + Layout.WRITTEN, written + EVENT);
        written += EVENT;
    }
}
