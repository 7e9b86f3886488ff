package tracetax.ring;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;

/** A queue of objects to one thread of the agent, which writes the rings, as other tracers have it. */
final class Handover extends Thread {

    private static final int SHIFT = 14;
    private static final boolean BLOCKING = Setup.queue.equals("blocking"); // SkyWalking
    private static final Slots SLOTS = new Slots(SHIFT); // mpsc, as Kieker
    private static final ArrayBlockingQueue<Handed> QUEUE = new ArrayBlockingQueue<>(BLOCKING ? 1 << SHIFT : 1);

    /** Its ring never grows: stamps go back in it, and the reader would mix the old ring's events with the new one's. */
    private final CarrierWriter writer = new CarrierWriter(this, Setup.largest);
    private final Map<Long, Track> traces = new HashMap<>();
    private volatile long idle; // how often nothing was there

    private Handover() {
        super(null, null, "tracetax", 0, false);
        setDaemon(true);
    }

    /** Starts the thread, and lets the JVM end when the queue is empty. */
    static void begin() {
        Handover thread = new Handover();
        thread.start();
        Runtime.getRuntime().addShutdownHook(new Thread(null, thread::empty, "tracetax-end", 0, false));
    }

    /** Hands an object over, or leaves out what it has. */
    static void offer(Handed handed, int calls) {
        for (long nap = 20_000; !(BLOCKING ? QUEUE.offer(handed) : SLOTS.offer(handed)); nap = Math.min(2 * nap, 1_000_000)) {
            if (!Setup.waits) {
                for (int i = 0; i < calls; i++) {
                    Budget.leaveOut();
                }
                return;
            }
            Pause.sleep(nap);
            Pause.end();
        }
    }

    @Override
    public void run() {
        for (long nap = 50_000;;) {
            Handed handed = BLOCKING ? QUEUE.poll() : SLOTS.poll();
            if (handed == null) {
                idle++;
                Pause.sleep(nap);
                nap = Math.min(2 * nap, 1_000_000);
                continue;
            }
            nap = 50_000;
            write(handed);
            Pool.back(handed);
        }
    }

    private void write(Handed handed) {
        if (handed.trace != null) {
            for (int i = 0; i < handed.length; i++) {
                writer.write(handed.trace[i], handed.thread);
            }
        } else if (handed.second == 0) {
            writer.write(handed.first, handed.thread);
        } else {
            gather(handed);
        }
    }

    /** Keeps spans until the one that has no parent comes: the events of a thread are read in order. */
    private void gather(Handed span) {
        Track trace = traces.computeIfAbsent(span.thread, number -> new Track());
        trace.add(span.first ^ Long.MIN_VALUE); // in the order of unsigned numbers
        trace.add(span.second ^ Long.MIN_VALUE);
        if (span.depth > 0) {
            return;
        }
        Arrays.sort(trace.trace, 0, trace.length);
        for (int i = 0; i < trace.length; i++) {
            writer.write(trace.trace[i] ^ Long.MIN_VALUE, span.thread);
        }
        trace.length = 0;
        if (traces.size() > 1000) {
            traces.remove(span.thread);
        }
    }

    /** Waits until all is written, for ten seconds at most. */
    private void empty() {
        long began = System.nanoTime();
        long before = idle;
        while (idle - before < 2 && System.nanoTime() - began < 10_000_000_000L) {
            Pause.sleep(200_000);
        }
    }
}
