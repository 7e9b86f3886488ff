package tracetax.ring;

import jdk.internal.misc.Unsafe;

/**
 * Records when a method is entered, and when it is left. Woven code calls it. A word is the method's number times two. Each
 * thread writes its own fields and its own ring: nothing is locked, and nothing allocated.
 */
public final class Recorder {

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid"); // getId may be overridden
    private static final Writer[] WRITERS = new Writer[Seats.SLOTS];
    private static final CarrierWriter[] CARRIER_WRITERS = new CarrierWriter[Seats.SLOTS];
    private static final Seats<Writer> THREADS = new Seats<>(WRITERS);
    private static final Seats<CarrierWriter> CARRIERS = new Seats<>(CARRIER_WRITERS);

    private Recorder() {
    }

    /** Records that a method is entered. */
    public static void enter(int word) {
        Thread thread = Thread.currentThread();
        Writer writer = WRITERS[Seats.slot(number(thread))];
        if (writer == null || writer.owner != thread) {
            enterElsewhere(thread, word);
            return;
        }
        enter(writer, word);
    }

    /** Records that a method is left. */
    public static void exit(int word) {
        Thread thread = Thread.currentThread();
        Writer writer = WRITERS[Seats.slot(number(thread))];
        if (writer == null || writer.owner != thread) {
            exitElsewhere(thread, word);
            return;
        }
        exit(writer, word);
    }

    /** Records that a method is left by an exception. A full stack may have kept calls above from recording their exits. */
    public static void thrown(Throwable thrown, int word) {
        exit(word);
        if (thrown instanceof StackOverflowError) {
            Writer writer = THREADS.find(Thread.currentThread());
            if (writer != null) {
                writer.doubt();
            }
        }
    }

    /** The position moves after the last call: a stack that is full leaves no half of an event. */
    private static void enter(Writer writer, int word) {
        long at = writer.written;
        if (at + Long.BYTES * (long) writer.open > writer.limit) {
            writer.enterSlowly(word);
            return;
        }
        long now = Clock.now();
        if (now <= writer.last) {
            now = writer.last + 1;
        }
        U.putLong(writer.buffer + (at & writer.mask), now << Layout.TIME | word);
        U.putLongRelease(null, writer.page + Layout.WRITTEN, at + Long.BYTES);
        writer.last = now;
        writer.written = at + Long.BYTES;
        writer.open++;
    }

    private static void exit(Writer writer, int word) {
        if (writer.open == 0) {
            writer.exitSlowly();
            return;
        }
        long now = Clock.now();
        if (now <= writer.last) {
            now = writer.last + 1;
        }
        long at = writer.written;
        U.putLong(writer.buffer + (at & writer.mask), now << Layout.TIME | word | 1);
        U.putLongRelease(null, writer.page + Layout.WRITTEN, at + Long.BYTES);
        writer.last = now;
        writer.written = at + Long.BYTES;
        writer.open--;
    }

    private static void enterElsewhere(Thread thread, int word) {
        if (Carriers.isVirtual(thread)) {
            virtual(thread, word);
            return;
        }
        Writer writer = writer(thread);
        if (writer == null) {
            Budget.leaveOut();
            return;
        }
        enter(writer, word);
    }

    /** Returns the thread's writer; null where there is none, and the stack has no room to make it. */
    private static Writer writer(Thread thread) {
        Writer writer = THREADS.find(thread);
        if (writer == null && Stack.suffices()) {
            writer = new Writer(thread);
            RingFile ring = THREADS.add(writer);
            if (ring != null) {
                writer.takeOver(ring);
            }
        }
        return writer;
    }

    /** Writes a whole trace. */
    static void write(Thread thread, long[] events, int count) {
        if (!Carriers.isVirtual(thread)) {
            Writer writer = writer(thread);
            if (writer == null) {
                leaveOut(count / 2);
                return;
            }
            writer.write(events, count);
            return;
        }
        Carriers.pin();
        try {
            CarrierWriter writer = carrierWriter();
            if (writer == null) {
                leaveOut(count / 2);
                return;
            }
            for (int i = 0; i < count; i++) {
                writer.write(events[i], number(thread));
            }
        } finally {
            Carriers.unpin();
        }
    }

    private static void exitElsewhere(Thread thread, int word) {
        if (Carriers.isVirtual(thread)) {
            virtual(thread, word | 1);
            return;
        }
        Writer writer = THREADS.find(thread);
        if (writer != null) { // else the method was woven while it ran
            exit(writer, word);
        }
    }

    /** Nothing here may wait between the look for the carrier and the last store: the thread would leave its carrier. */
    private static void virtual(Thread thread, int word) {
        Thread carrier = Carriers.current();
        CarrierWriter writer = CARRIER_WRITERS[Seats.slot(number(carrier))];
        if (writer == null || writer.owner != carrier || writer.written > writer.limit) {
            virtualSlowly(thread, word);
            return;
        }
        writer.put(word, number(thread));
    }

    /** Pins the thread to its carrier, since all that follows may wait. */
    private static void virtualSlowly(Thread thread, int word) {
        Carriers.pin();
        try {
            CarrierWriter writer = carrierWriter();
            if (writer != null) {
                writer.putSlowly(word, number(thread));
            } else if ((word & 1) == 0) {
                Budget.leaveOut();
            }
        } finally {
            Carriers.unpin();
        }
    }

    private static void leaveOut(int calls) {
        for (int i = 0; i < calls; i++) {
            Budget.leaveOut();
        }
    }

    /** Returns the carrier's writer; null where there is none, and the stack has no room to make it. The thread is pinned. */
    private static CarrierWriter carrierWriter() {
        Thread carrier = Carriers.current();
        CarrierWriter writer = CARRIERS.find(carrier);
        if (writer == null && Stack.suffices()) {
            writer = new CarrierWriter(carrier, Setup.first);
            RingFile ring = CARRIERS.add(writer);
            if (ring != null) {
                writer.use(ring);
            }
        }
        return writer;
    }

    static long number(Thread thread) {
        return U.getLong(thread, TID);
    }
}
