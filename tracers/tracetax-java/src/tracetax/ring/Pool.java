package tracetax.ring;

/** Gives objects to calls: from the heap, or from a pool, which takes them back. */
final class Pool {

    private static final boolean POOL = Setup.store.equals("pool");
    private static final Slots FREE = POOL ? new Slots(14) : null;

    private Pool() {
    }

    static Handed take() {
        if (POOL) {
            Handed handed = FREE.poll();
            if (handed != null) {
                return handed;
            }
        }
        return new Handed();
    }

    /** Takes an object back; where the pool is full, it is garbage. */
    static void back(Handed handed) {
        if (POOL) {
            handed.second = 0;
            handed.trace = null;
            FREE.offer(handed);
        }
    }
}
