package tracetax.calls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A long series of numbers of one thread, in arrays outside of the heap: they are no
 * part of what the heap is measured for, and no collection copies them.
 */
final class Samples {

    /** Numbers in one array, 1 MiB. */
    static final int CHUNK = 1 << 17;

    private final List<ByteBuffer> chunks = new ArrayList<>();
    private final List<LongBuffer> numbers = new ArrayList<>();

    /** Makes room for so many numbers, so that nothing is allocated while they come. */
    void reserve(long count) {
        while ((long) chunks.size() * CHUNK < count) {
            ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            chunks.add(chunk);
            numbers.add(chunk.asLongBuffer());
        }
    }

    /** The array that the number at this place of the series belongs to, at place % CHUNK. */
    LongBuffer chunk(long place) {
        return numbers.get((int) (place / CHUNK));
    }

    /** Writes the first so many numbers, 8 bytes each, little-endian. */
    void write(Path file, long count) throws IOException {
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            for (long place = 0; place < count; place += CHUNK) {
                ByteBuffer chunk = chunks.get((int) (place / CHUNK)).duplicate();
                chunk.limit((int) Math.min(CHUNK, count - place) * Long.BYTES);
                while (chunk.hasRemaining()) {
                    out.write(chunk);
                }
            }
        }
    }
}
