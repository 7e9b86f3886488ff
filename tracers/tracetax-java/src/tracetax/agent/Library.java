package tracetax.agent;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jdk.internal.access.SharedSecrets;
import tracetax.ring.Ticks;

/** Loads the library that reads the processor's counter, where the agent's jar has one for this processor. */
final class Library {

    private Library() {
    }

    /** Returns null, or why there is none. */
    static String load(Folder folder) {
        String path = "native/" + System.getProperty("os.arch") + "/libticks.so";
        byte[] code;
        try (InputStream in = Library.class.getClassLoader().getResourceAsStream(path)) {
            if (in == null) {
                return "the agent was built without a C compiler, and lacks " + path;
            }
            code = in.readAllBytes();
        } catch (IOException e) {
            return "reading " + path + " from the agent's jar: " + e;
        }
        String failed = load(code, folder.file("libticks.so").toPath());
        if (failed == null) {
            return null;
        }
        try { // a container's /dev/shm often forbids code
            return load(code, Files.createTempDirectory("tracetax").resolve("libticks.so"));
        } catch (IOException e) {
            return failed;
        }
    }

    private static String load(byte[] code, Path file) {
        try {
            Native.allow(SharedSecrets.getJavaLangAccess());
            Files.write(file, code, StandardOpenOption.CREATE_NEW);
            Ticks.load(file.toString());
            return null;
        } catch (IOException | ReflectiveOperationException | LinkageError e) {
            return "the library that reads the counter cannot be loaded: " + e.getMessage();
        } finally {
            delete(file);
        }
    }

    /** Deletes the file, and a folder of its own: what is loaded stays. */
    private static void delete(Path file) {
        file.toFile().delete();
        if (file.getParent().getFileName().toString().startsWith("tracetax")) {
            file.getParent().toFile().delete();
        }
    }
}
