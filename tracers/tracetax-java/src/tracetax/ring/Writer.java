package tracetax.ring;

import jdk.internal.vm.annotation.Contended;

/**
 * Writes the events of a platform thread, 8 bytes each. An entry finds room for itself and for the exits of all open
 * calls: an exit always fits. A call without room is left out with all calls within it.
 */
@Contended
final class Writer extends Place {

    private static final long EVENT = Long.BYTES;
    private static final int DOUBTS = 1000; // a look takes some microseconds, and a thread may never be alone

    int open; // calls recorded and not left; 0 while calls are left out
    private int held; // open calls, while others are left out
    private int skipped; // calls that are left out and not left
    private int doubts; // entries that still look at the stack, since exits may be missing
    private boolean unnamed; // the ring does not know yet whose events follow
    private boolean again; // it knows, and has to learn that no call is open

    Writer(Thread owner) {
        super(owner, 1, Setup.first);
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
        if (doubts > 0) {
            settle();
        }
        if (skipped > 0) {
            leaveOut(); // first: an exit comes only where this did not overflow the stack
            skipped++;
            return;
        }
        if (!room(EVENT * (open + 2L))) {
            leaveOut();
            held = open;
            open = 0;
            limit = Long.MIN_VALUE;
            skipped = 1;
            return;
        }
        put(word);
        open++;
    }

    /** Has the next entries find out if calls are taken for open that are not. */
    void doubt() {
        doubts = DOUBTS;
        limit = Long.MIN_VALUE;
    }

    /** Where no other call is on the stack, the owner is written again: the reader gives up what it has open. */
    private void settle() {
        doubts--;
        if (Woven.alone()) {
            doubts = 0;
            again = ring != null && open + held > 0;
            open = 0;
            held = 0;
            skipped = 0;
        }
    }

    /** Leaves a call that was left out. An exit without an entry is none: the method was woven while it ran. */
    void exitSlowly() {
        if (skipped > 0 && --skipped == 0) {
            open = held;
            held = 0;
        }
    }

    /** Writes a whole trace, or leaves its calls out. */
    void write(long[] events, int count) {
        if (!room(EVENT * (count + 2L))) {
            for (int i = 0; i < count; i += 2) {
                leaveOut();
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            U.putLong(buffer + (written + i * EVENT & mask), events[i]);
        }
        U.putLongRelease(null, page + Layout.WRITTEN, written + count * EVENT);
        written += count * EVENT;
    }

    private boolean room(long need) {
        if (!find(unnamed || again ? need + 2 * EVENT : need)) {
            return false;
        }
        if (unnamed || again) {
            name();
            again = false;
        }
        limit = doubts > 0 ? Long.MIN_VALUE : seen + ring.size - 2 * EVENT;
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
