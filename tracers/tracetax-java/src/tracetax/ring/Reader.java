package tracetax.ring;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/** Finds out if a reader lives. It holds a lock on its page, and the kernel takes the lock away when it ends. */
final class Reader {

    private static final long ANEW = 100_000_000; // nanoseconds between two questions
    private static final AtomicLong ASKED = new AtomicLong(System.nanoTime());
    private static volatile boolean lives = ask(); // at the start, since threads do not wait for the one that asks

    private Reader() {
    }

    /** Asks the kernel, at most ten times a second; in between the last answer holds. */
    static boolean lives() {
        long now = System.nanoTime();
        long asked = ASKED.get();
        if (now - asked >= ANEW && ASKED.compareAndSet(asked, now)) {
            lives = ask();
        }
        return lives;
    }

    /** Tries a shared lock, which two programs may have at once, and which a reader's exclusive one excludes. */
    private static boolean ask() {
        try (FileChannel channel = FileChannel.open(Setup.reader.toPath(), StandardOpenOption.READ)) {
            RingFile.ignoreInterrupts(channel);
            FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true);
            return lock == null; // closing the file gives the lock back
        } catch (OverlappingFileLockException | SecurityException e) {
            return lives; // this JVM has it already, or the program's security manager forbids the question
        } catch (IOException e) {
            return false; // there has been no reader yet
        }
    }
}
