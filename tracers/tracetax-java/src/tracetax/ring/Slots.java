package tracetax.ring;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A queue of fixed size for any number of threads on both sides, without a lock. Each slot has a turn: place 2r is free
 * for the r-th time, 2r + 1 is taken.
 */
final class Slots {

    private final Handed[] slots;
    private final AtomicLongArray turns;
    private final AtomicLong in = new AtomicLong();
    private final AtomicLong out = new AtomicLong();
    private final int shift;

    Slots(int shift) {
        this.shift = shift;
        slots = new Handed[1 << shift];
        turns = new AtomicLongArray(1 << shift);
    }

    /** Adds an object, and returns false where the queue is full. */
    boolean offer(Handed handed) {
        for (;;) {
            long place = in.get();
            int slot = (int) place & slots.length - 1;
            long turn = 2 * (place >> shift);
            long found = turns.getAcquire(slot);
            if (found == turn && in.compareAndSet(place, place + 1)) {
                slots[slot] = handed;
                turns.setRelease(slot, turn + 1);
                return true;
            }
            if (found < turn) {
                return false;
            }
        }
    }

    /** Returns the oldest object, or null. */
    Handed poll() {
        for (;;) {
            long place = out.get();
            int slot = (int) place & slots.length - 1;
            long turn = 2 * (place >> shift) + 1;
            long found = turns.getAcquire(slot);
            if (found == turn && out.compareAndSet(place, place + 1)) {
                Handed handed = slots[slot];
                slots[slot] = null;
                turns.setRelease(slot, turn + 1);
                return handed;
            }
            if (found < turn) {
                return null;
            }
        }
    }
}
