package tracetax.ring;

import jdk.internal.misc.Unsafe;

/** The ring of a thread or a carrier, its position, and the room that it knows of. Its thread alone uses it. */
abstract class Place {

    static final Unsafe U = Unsafe.getUnsafe();
    private static final long ANEW = 100_000_000; // nanoseconds until a ring that could not be made is tried again
    private static final long PATIENCE = 30_000_000_000L; // nanoseconds that a reader is waited for which lives
    private static final long NEVER = -1;

    final Thread owner;
    final int kind;
    final long first; // bytes of the first ring
    RingFile ring; // null where there was no memory for one
    long page;
    long buffer;
    long mask;
    long written;
    long last; // the last stamp
    long limit = Long.MIN_VALUE; // what is written may reach this; the first event asks for room
    long seen; // the reader's position when it was last asked for
    Place next; // of the same slot

    private long refused; // by System.nanoTime: when the last ring could not be made
    private boolean everRefused;
    private long stuck = NEVER; // the reader's position when the thread gave up waiting for it

    Place(Thread owner, int kind, long first) {
        this.owner = owner;
        this.kind = kind;
        this.first = first;
    }

    /** Goes on in another ring. */
    final void use(RingFile next) {
        ring = next;
        page = next.page;
        buffer = next.page + Layout.PAGE;
        mask = next.size - 1;
        written = next.written;
        last = Math.max(last, next.last);
        limit = Long.MIN_VALUE;
        stuck = NEVER;
    }

    /** Puts the position into the ring, for the next owner. */
    final RingFile release() {
        if (ring != null) {
            ring.written = written;
            ring.last = last;
        }
        return ring;
    }

    /** Returns a stamp that is later than all before. */
    final long stamp() {
        long now = Clock.now();
        if (now <= last) {
            now = last + 1;
        }
        last = now;
        return now;
    }

    /** Looks for so many bytes of room: behind the reader, in a larger ring, or by waiting. */
    final boolean find(long need) {
        if (ring == null) {
            return larger(need, first);
        }
        if (fits(need)) {
            return true;
        }
        if (larger(need, 2 * ring.size)) {
            return true;
        }
        return need <= ring.size && Setup.waits && await(need);
    }

    /** Reads how far the reader is. A position that cannot be is taken for none. */
    private boolean fits(long need) {
        long read = ring.read();
        if (read < 0 || read > written || written - read > ring.size) {
            return false;
        }
        seen = read;
        return written + need - read <= ring.size;
    }

    /** Replaces the ring by one of that size, or by the smallest above that the need fits into. */
    private boolean larger(long need, long size) {
        while (size < need + 2 * Long.BYTES && size < Setup.largest) {
            size *= 2;
        }
        if (size > Setup.largest || everRefused && System.nanoTime() - refused < ANEW || !Stack.suffices()) {
            return false;
        }
        RingFile next = ring == null ? Budget.first(kind, size) : Budget.larger(kind, size);
        if (next == null) {
            everRefused = true;
            refused = System.nanoTime();
            return false;
        }
        RingFile before = ring;
        use(next);
        begin();
        if (before != null) {
            Budget.close(before);
        }
        return fits(need);
    }

    /** Writes what a new ring begins with. */
    abstract void begin();

    /** Waits for the reader. A quarter of the ring at once is worth the waking up. */
    private boolean await(long need) {
        if (stuck == ring.read() || !Stack.suffices() || !Reader.lives()) {
            return false;
        }
        stuck = NEVER;
        long enough = Math.max(need, ring.size / 4);
        long began = System.nanoTime();
        long nap = 20_000;
        try {
            while (!fits(enough)) {
                if (!Reader.lives()) {
                    return fits(need);
                }
                if (System.nanoTime() - began > PATIENCE) {
                    stuck = ring.read();
                    return fits(need);
                }
                Pause.sleep(nap);
                nap = Math.min(2 * nap, 1_000_000);
            }
            return true;
        } finally {
            ring.waited(System.nanoTime() - began);
            Pause.end();
        }
    }

    /** Counts a call that is left out. */
    final void leaveOut() {
        if (ring == null) {
            Budget.leaveOut();
        } else {
            ring.add(Layout.LEFT_OUT, 1);
        }
    }
}
