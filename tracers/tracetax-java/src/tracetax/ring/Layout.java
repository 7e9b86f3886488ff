package tracetax.ring;

/** The format that docs/ring.md describes: where things stand in a ring's first page and in the program's page. */
final class Layout {

    static final long PAGE = 4096;

    static final long MAGIC = 0x3130474e49525454L; // TTRING01, little-endian
    static final long KIND = 8;
    static final long SIZE = 16;
    static final long WRITTEN = 128;
    static final long CLOSED = 136;
    static final long LEFT_OUT = 192;
    static final long WAITS = 200;
    static final long WAITED = 208;
    static final long LONGEST = 216;
    static final long READ = 256;

    static final long ALIVE_LEFT_OUT = 64;
    static final long ALIVE_MEMORY = 72;

    static final int TIME = 20; // bits below an event's time
    static final int OWNER = ((1 << 19) - 1) << 1; // the method number of an owner, as it stands in an event

    private Layout() {
    }
}
