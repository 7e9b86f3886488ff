package tracetax.calls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The course of the heap over a stretch of work, a line each hundredth of it. */
final class Course {

    private static final int MOST = 128; // more lines than are ever asked for

    private final Meters meters;
    private final long[] calls = new long[MOST];
    private final long[] heap = new long[MOST];
    private final long[] collections = new long[MOST];
    private int lines;
    private long before; // collections before the stretch

    Course(Meters meters) {
        this.meters = meters;
    }

    /** Begins the stretch. */
    void begin() {
        before = meters.collections();
    }

    /** Adds a line: so many operations are made. */
    void add(long made) {
        if (lines == MOST) {
            return;
        }
        calls[lines] = made;
        heap[lines] = meters.heap();
        collections[lines] = meters.collections() - before;
        lines++;
    }

    /** The most heap that was seen in use, in bytes; 0 if it was never looked at. */
    long peak() {
        long most = 0;
        for (int i = 0; i < lines; i++) {
            most = Math.max(most, heap[i]);
        }
        return most;
    }

    void write(Path file) throws IOException {
        StringBuilder text = new StringBuilder("calls,heap_bytes,gc_count\n");
        for (int i = 0; i < lines; i++) {
            text.append(calls[i]).append(',').append(heap[i]).append(',').append(collections[i]).append('\n');
        }
        Files.writeString(file, text);
    }
}
