package tracetax.ring;

/** The processor's counter by a library of one function. The boot loader owns it, so this class loads it. */
public final class Ticks {

    private Ticks() {
    }

    /** Loads the library of a file. */
    @SuppressWarnings("restricted")
    public static void load(String file) {
        System.load(file);
    }

    static native long read();
}
