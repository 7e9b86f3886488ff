package tracetax.ring;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import jdk.internal.misc.Unsafe;

/** The memory of all rings: those in use, those of dead threads, and closed ones until the reader has deleted them. */
final class Budget {

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final ArrayList<RingFile> CLOSED = new ArrayList<>();
    private static long used;
    private static long made;

    private Budget() {
    }

    /** Makes a thread's first ring, a smaller one where memory is short. Returns null if there is none. */
    static RingFile first(int kind, long size) {
        for (long less = size; less >= Layout.PAGE; less /= 2) {
            RingFile ring = ring(kind, less, Setup.memory);
            if (ring != null) {
                return ring;
            }
        }
        return null;
    }

    /** Makes a ring for one that was full. Half of the memory is kept for the first rings of threads to come. */
    static RingFile larger(int kind, long size) {
        return ring(kind, size, Setup.memory / 2);
    }

    private static RingFile ring(int kind, long size, long most) {
        long bytes = Layout.PAGE + size;
        long number = reserve(bytes, most);
        if (number == 0) {
            return null;
        }
        try {
            return RingFile.make(number, kind, size);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            Gate.enter();
            take(-bytes);
            Gate.leave();
            return null; // the file system is full: the calls are left out, and counted
        }
    }

    /** Returns the new ring's number, or 0. */
    private static long reserve(long bytes, long most) {
        Gate.enter();
        try {
            forgetDeleted();
            if (used + bytes > most) {
                return 0;
            }
            take(bytes);
            return ++made;
        } finally {
            Gate.leave();
        }
    }

    /** Closes a ring. Its memory counts until the reader has deleted it. */
    static void close(RingFile ring) {
        ring.close();
        Gate.enter();
        try {
            CLOSED.add(ring);
            forgetDeleted();
        } finally {
            Gate.leave();
        }
    }

    private static void forgetDeleted() {
        for (int i = CLOSED.size() - 1; i >= 0; i--) {
            if (deleted(CLOSED.get(i).file)) {
                take(-(Layout.PAGE + CLOSED.get(i).size));
                CLOSED.remove(i);
            }
        }
    }

    private static boolean deleted(File file) {
        try {
            return !file.exists();
        } catch (SecurityException e) {
            return false; // the program has a security manager, and its code may not look
        }
    }

    private static void take(long bytes) {
        used += bytes;
        U.putLong(Setup.alive + Layout.ALIVE_MEMORY, used);
    }

    /** Counts a call of a thread that has no ring. */
    static void leaveOut() {
        U.getAndAddLong(null, Setup.alive + Layout.ALIVE_LEFT_OUT, 1);
    }
}
