package tracetax.ring;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import jdk.internal.misc.Unsafe;
import sun.nio.ch.DirectBuffer;
import sun.nio.ch.FileChannelImpl;

/** A ring's file, mapped. Its place and last stamp are kept here while no thread owns it. */
final class RingFile {

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final byte[] ZEROS = new byte[8192];

    final File file;
    final long page; // address of the first page
    final long size; // bytes of the buffer
    long written;
    long last;

    private final MappedByteBuffer map;

    private RingFile(File file, MappedByteBuffer map, long size) {
        this.file = file;
        this.map = map;
        this.size = size;
        this.page = ((DirectBuffer) map).address();
    }

    /**
     * Makes a ring and shows it to the reader. Its zeros are written, since a hole of a file in a full file system ends
     * the program when it is touched.
     */
    static RingFile make(long number, int kind, long size) throws IOException {
        File hidden = new File(Setup.folder, ".ring-" + number);
        File shown = new File(Setup.folder, "ring-" + number);
        try (RandomAccessFile out = new RandomAccessFile(hidden, "rw")) {
            out.write(head(kind, size));
            for (long left = size; left > 0; left -= ZEROS.length) {
                out.write(ZEROS, 0, (int) Math.min(left, ZEROS.length));
            }
            MappedByteBuffer map = map(out.getChannel(), Layout.PAGE + size);
            if (!hidden.renameTo(shown)) {
                U.invokeCleaner(map);
                throw new IOException("renaming " + hidden + " to " + shown + " failed");
            }
            return new RingFile(shown, map, size);
        } catch (IOException | RuntimeException | Error e) {
            hidden.delete();
            throw e;
        }
    }

    /** Maps the start of a file, also in a thread that is interrupted. */
    static MappedByteBuffer map(FileChannel channel, long bytes) throws IOException {
        ignoreInterrupts(channel);
        return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
    }

    /** Keeps a channel open in a thread that is interrupted. A JDK that has no such method closes it, and the calls are left out. */
    static void ignoreInterrupts(FileChannel channel) {
        try {
            ((FileChannelImpl) channel).setUninterruptible();
        } catch (NoSuchMethodError | IllegalAccessError e) {
            return; // what it costs is counted
        }
    }

    private static byte[] head(int kind, long size) {
        ByteBuffer head = ByteBuffer.allocate((int) Layout.PAGE).order(ByteOrder.LITTLE_ENDIAN);
        head.putLong(0, Layout.MAGIC);
        head.putInt((int) Layout.KIND, kind);
        head.putLong((int) Layout.SIZE, size);
        return head.array();
    }

    /** Returns what the reader has read, in bytes; a reader that is wrong cannot run ahead. */
    long read() {
        return U.getLongAcquire(null, page + Layout.READ);
    }

    void add(long field, long amount) {
        U.putLong(page + field, U.getLong(page + field) + amount);
    }

    /** Notes a wait of so many nanoseconds. */
    void waited(long nanoseconds) {
        add(Layout.WAITS, 1);
        add(Layout.WAITED, nanoseconds);
        if (nanoseconds > U.getLong(page + Layout.LONGEST)) {
            U.putLong(page + Layout.LONGEST, nanoseconds);
        }
    }

    /** Marks the ring as closed, and lets go of the memory. The reader deletes the file. */
    void close() {
        U.putLongRelease(null, page + Layout.CLOSED, 1);
        U.invokeCleaner(map);
    }
}
