package tracetax.ring;

import jdk.internal.vm.annotation.Contended;

/**
 * Writes the events of a platform thread, 8 bytes each. An entry finds room for itself and for the exits of all open
 * calls, so that an exit always fits; a call without room is left out with all calls within it.
 */
@Contended
final class Writer extends Place {

    private static final long EVENT = Long.BYTES;

    int open; // calls recorded and not left; 0 while calls are left out
    private int held; // open calls, while others are left out
    private int skipped; // calls that are left out and not left
    private boolean unnamed; // the ring does not know yet whose events follow

    Writer(Thread owner) {
        super(owner, 1);
    }

    /** Takes a ring that belonged to a thread that is dead. */
    void takeOver(RingFile ring) {
        use(ring);
        unnamed = true;
    }

    @Override
    void begin() {
        name();
    }

    /** Enters a call where the room that is known is used up. */
    void enterSlowly(int word) {
        if (skipped > 0) {
            skipped++;
            leaveOut();
            return;
        }
        if (!room()) {
            held = open;
            open = 0;
            limit = Long.MIN_VALUE;
            skipped = 1;
            leaveOut();
            return;
        }
        put(word);
        open++;
    }

    /** Leaves a call that was left out. An exit without an entry is none: the method was woven while it ran. */
    void exitSlowly() {
        if (skipped > 0 && --skipped == 0) {
            open = held;
        }
    }

    private boolean room() {
        long need = EVENT * (open + 2L);
        if (!find(unnamed ? need + 2 * EVENT : need)) {
            return false;
        }
        if (unnamed) {
            name();
        }
        limit = seen + ring.size - 2 * EVENT;
        return true;
    }

    private void name() {
        U.putLong(buffer + (written & mask), stamp() << Layout.TIME | Layout.OWNER);
        U.putLong(buffer + (written + EVENT & mask), Recorder.number(owner));
        U.putLongRelease(null, page + Layout.WRITTEN, written + 2 * EVENT);
        written += 2 * EVENT;
        unnamed = false;
    }

    private void put(int word) {
        U.putLong(buffer + (written & mask), stamp() << Layout.TIME | word);
        U.putLongRelease(null, page + Layout.WRITTEN, written + EVENT);
        written += EVENT;
    }
}
