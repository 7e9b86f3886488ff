package tracetax.agent;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import jdk.internal.misc.Unsafe;

/** The folder of rings, and this program's within it, as docs/ring.md describes them. */
final class Folder {

    private static final int PAGE = 4096;
    private static final FileAttribute<Set<PosixFilePermission>> OWN =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Objects of the JVM's whole life: a lock ends when its channel is collected, a mapping when its buffer is. */
    private static final List<Object> KEPT = new ArrayList<>();

    final File reader;
    final File program;
    final long alive; // address of the page

    private Folder(File folder) throws IOException {
        String name = "jvm-" + ProcessHandle.current().pid() + '-' + random();
        reader = new File(folder, "reader");
        program = new File(folder, name);
        Files.createDirectory(program.toPath(), OWN);
        alive = live();
    }

    /** Makes the program's folder, with the page alive. A reader takes it for a program when about.json stands there. */
    static Folder make(File given) {
        File folder = given;
        try {
            Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            if (folder == null) {
                folder = new File("/dev/shm/tracetax-" + user);
            }
            folder = folder.getAbsoluteFile();
            try {
                Files.createDirectory(folder.toPath(), OWN);
            } catch (FileAlreadyExistsException e) {
                check(folder.toPath(), user);
            }
            return new Folder(folder);
        } catch (IOException e) {
            throw Options.wrong("the folder of rings " + (folder == null ? "" : folder) + " cannot be used: " + e
                    + "; name another with dir=");
        }
    }

    private static void check(Path folder, Object user) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw Options.wrong("the folder of rings " + folder + " is a link or no folder; name another with dir=");
        }
        Object owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (!owner.equals(user)) {
            throw Options.wrong("the folder of rings " + folder + " belongs to user " + owner + ", not to " + user
                    + "; name another with dir=");
        }
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
        if (mode.contains(PosixFilePermission.GROUP_WRITE) || mode.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw Options.wrong("others may write into the folder of rings " + folder + " ("
                    + PosixFilePermissions.toString(mode) + "); chmod 700 it, or name another with dir=");
        }
    }

    /** Returns eight hexadecimal digits, from the kernel: a SecureRandom takes longer than all else of the start. */
    private static String random() throws IOException {
        try (FileInputStream in = new FileInputStream("/dev/urandom")) {
            return Json.hexadecimal(ByteBuffer.wrap(in.readNBytes(4)).getInt(), 8);
        }
    }

    private long live() throws IOException {
        FileChannel channel = new RandomAccessFile(new File(program, "alive"), "rw").getChannel();
        ByteBuffer page = ByteBuffer.allocate(PAGE);
        page.put(0, "TTLIVE01".getBytes(StandardCharsets.US_ASCII));
        channel.write(page);
        KEPT.add(channel.lock());
        return address(channel.map(FileChannel.MapMode.READ_WRITE, 0, PAGE));
    }

    /** Returns where a mapped page lies. It stays there: the page is never unmapped. */
    static long address(ByteBuffer page) {
        KEPT.add(page);
        Unsafe unsafe = Unsafe.getUnsafe();
        return unsafe.getLong(page, unsafe.objectFieldOffset(Buffer.class, "address"));
    }

    File file(String name) {
        return new File(program, name);
    }

    /** Writes a file as a whole, under its name when it is complete. */
    void write(String name, String text) {
        File part = file("." + name);
        try {
            Files.writeString(part.toPath(), text);
        } catch (IOException e) {
            throw Options.wrong("writing " + part + ": " + e);
        }
        if (!part.renameTo(file(name))) {
            throw Options.wrong("renaming " + part + " to " + name + " failed");
        }
    }
}
