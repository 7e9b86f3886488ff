package tracetax.ring;

import java.util.Arrays;
import java.util.Map;

/** Keeps a thread's open calls, where a setting wants more than events. Its thread alone uses it. */
final class Track {

    private static final ThreadLocal<Track> CURRENT = ThreadLocal.withInitial(Track::new);

    final Thread thread = Thread.currentThread();
    final long number = Recorder.number(thread);
    int depth; // open calls
    long last; // stamp
    long noise; // keeps what is read and not used

    long[] starts = new long[16]; // events of the open calls, by depth
    Handed[] calls = new Handed[16];
    String[] texts = new String[16];
    @SuppressWarnings({"unchecked", "rawtypes"})
    Map<String, Object>[] maps = new Map[16];
    long[] trace = new long[64]; // events of the trace that is open
    int length;

    Node node; // the newest open call
    Object[] context = {"span", null, "baggage", null};
    Node[] stack = new Node[16];

    static Track current() {
        return CURRENT.get();
    }

    /** Makes room for a call more. */
    void grow() {
        if (depth < starts.length) {
            return;
        }
        int size = 2 * depth;
        starts = Arrays.copyOf(starts, size);
        calls = Arrays.copyOf(calls, size);
        texts = Arrays.copyOf(texts, size);
        maps = Arrays.copyOf(maps, size);
        stack = Arrays.copyOf(stack, size);
    }

    /** Returns an event of now. */
    long event(int word) {
        long now = Clock.now();
        if (now <= last) {
            now = last + 1;
        }
        last = now;
        return now << Layout.TIME | word;
    }

    /** Adds an event to the trace that is open. */
    void add(long event) {
        if (length == trace.length) {
            trace = Arrays.copyOf(trace, 2 * length);
        }
        trace[length++] = event;
    }
}
