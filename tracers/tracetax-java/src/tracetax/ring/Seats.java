package tracetax.ring;

import java.util.ArrayList;

/**
 * The places of one kind, by their threads: a table by the thread's number, with a chain behind each slot. Rings of dead
 * threads go to new ones.
 */
final class Seats<P extends Place> {

    static final int SLOTS = 1 << 14;

    /** Slots are written under the gate, and read without: a thread that looks compares the owner. */
    private final P[] table;

    private final ArrayList<P> all = new ArrayList<>();
    private final ArrayList<RingFile> free = new ArrayList<>();
    private int untilSweep;

    Seats(P[] table) {
        this.table = table;
    }

    static int slot(long number) {
        return (int) number & SLOTS - 1;
    }

    /** Returns the thread's place, or null. It needs no gate: the thread that asks put its place there itself. */
    @SuppressWarnings("unchecked")
    P find(Thread owner) {
        for (Place place = table[slot(Recorder.number(owner))]; place != null; place = place.next) {
            if (place.owner == owner) {
                return (P) place;
            }
        }
        return null;
    }

    /** Adds a thread's place, and returns a ring that its former owner left, or null. */
    RingFile add(P place) {
        Gate.enter();
        try {
            if (free.isEmpty() && --untilSweep <= 0) {
                sweep();
                untilSweep = all.size() / 8;
            }
            int slot = slot(Recorder.number(place.owner));
            place.next = table[slot];
            Place.U.storeFence(); // whoever finds the place finds it whole
            table[slot] = place;
            all.add(place);
            return free.isEmpty() ? null : free.remove(free.size() - 1);
        } finally {
            Gate.leave();
        }
    }

    /** Takes the rings of dead threads. */
    private void sweep() {
        int kept = 0;
        for (int i = 0; i < all.size(); i++) {
            P place = all.get(i);
            if (place.owner.isAlive()) {
                all.set(kept++, place);
                continue;
            }
            remove(place);
            RingFile ring = place.release();
            if (ring != null) {
                free.add(ring);
            }
        }
        all.subList(kept, all.size()).clear();
    }

    @SuppressWarnings("unchecked")
    private void remove(P place) {
        int slot = slot(Recorder.number(place.owner));
        if (table[slot] == place) {
            table[slot] = (P) place.next;
            return;
        }
        Place before = table[slot];
        while (before.next != place) {
            before = before.next;
        }
        before.next = place.next;
    }
}
