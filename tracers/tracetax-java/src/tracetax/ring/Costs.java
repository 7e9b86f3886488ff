package tracetax.ring;

import java.util.Arrays;

/**
 * Records the same events as Recorder, and does besides as other tracers do. Woven code calls it where a setting takes an
 * improvement away. All settings are constants: the JIT leaves out the others.
 */
public final class Costs {

    private static final boolean SIX = Setup.reads == 6;
    private static final boolean RING = Setup.queue.equals("ring");
    private static final boolean STORED = !Setup.store.equals("ring");
    private static final boolean EVENT = Setup.unit.equals("event");
    private static final boolean SPAN = Setup.unit.equals("span");

    static {
        if (!RING) {
            Handover.begin();
        }
    }

    private Costs() {
    }

    /** Records that a method is entered. */
    public static void enter(int word) {
        Track track = Track.current();
        track.grow();
        Tree.enter(track, word);
        Metadata.enter(track, word);
        if (SIX) {
            track.noise += Clock.now() + Clock.now();
        }
        if (STORED && RING) {
            track.calls[track.depth] = Pool.take();
        }
        if (EVENT && RING) {
            if (STORED) {
                track.calls[track.depth].first = word;
            }
            Recorder.enter(word);
        } else {
            hand(track, track.event(word));
        }
        track.depth++;
    }

    private static void hand(Track track, long event) {
        if (EVENT) {
            Handed handed = Pool.take();
            handed.thread = track.number;
            handed.first = event;
            Handover.offer(handed, 1);
        } else if (SPAN) {
            track.starts[track.depth] = event;
        } else {
            track.add(event);
        }
    }

    /** Records that a method is left. An exit without an entry is none: the method was woven while it ran. */
    public static void exit(int word) {
        Track track = Track.current();
        if (track.depth == 0) {
            return;
        }
        track.depth--;
        if (SIX) {
            track.noise += Clock.now() + Clock.now();
        }
        if (EVENT && RING) {
            Recorder.exit(word);
        } else {
            handBack(track, track.event(word | 1));
        }
        if (STORED && RING) {
            Handed call = track.calls[track.depth];
            track.calls[track.depth] = null;
            track.noise += call.first;
            Pool.back(call);
        }
        Metadata.exit(track);
        Tree.exit(track);
    }

    /** Records that a method is left by an exception. */
    public static void thrown(Throwable thrown, int word) {
        exit(word);
    }

    private static void handBack(Track track, long event) {
        if (EVENT) {
            Handed handed = Pool.take();
            handed.thread = track.number;
            handed.first = event;
            Handover.offer(handed, 0);
        } else if (SPAN) {
            Handed handed = Pool.take();
            handed.thread = track.number;
            handed.depth = track.depth;
            handed.first = track.starts[track.depth];
            handed.second = event;
            Handover.offer(handed, 1);
        } else {
            track.add(event);
            if (track.depth == 0) {
                whole(track);
            }
        }
    }

    private static void whole(Track track) {
        int length = track.length;
        track.length = 0;
        if (RING) {
            Recorder.write(track.thread, track.trace, length);
            return;
        }
        Handed handed = Pool.take();
        handed.thread = track.number;
        handed.trace = Arrays.copyOf(track.trace, length);
        handed.length = length;
        Handover.offer(handed, length / 2);
    }
}
