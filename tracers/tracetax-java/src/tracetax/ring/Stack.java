package tracetax.ring;

import jdk.internal.vm.annotation.DontInline;

/**
 * Finds out if a thread's stack has room for the making of a ring. An overflow in the middle would leave the tables torn
 * and the gate closed, and every other thread of the program would wait for it.
 */
final class Stack {

    private static final int FRAMES = 512; // 16 KiB at least: the slow ways take some 4, and the JDK's classes more at first use

    private static final int SPARED = 64; // questions that the last no answers: an overflow takes some 0.3 ms

    private static volatile long refused = -1; // the number of the thread that was last without room
    private static volatile int spare; // threads may race for it: then one asks once more

    private Stack() {
    }

    static boolean suffices() {
        long self = Recorder.number(Thread.currentThread());
        if (refused == self && spare > 0) {
            spare--;
            return false;
        }
        try {
            return descend(FRAMES) == 0;
        } catch (StackOverflowError e) {
            spare = SPARED;
            refused = self;
            return false;
        }
    }

    @DontInline
    private static int descend(int left) {
        return left == 0 ? 0 : descend(left - 1) & left;
    }
}
