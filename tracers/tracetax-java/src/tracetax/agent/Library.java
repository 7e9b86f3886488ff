package tracetax.agent;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import jdk.internal.access.SharedSecrets;
import tracetax.ring.Ticks;

/** Loads the library that reads the processor's counter, where the agent's jar has one for this processor. */
final class Library {

    private Library() {
    }

    /** Returns null, or why there is none. */
    static String load(Folder folder) {
        String path = "native/" + System.getProperty("os.arch") + "/libticks.so";
        File file = folder.file("libticks.so");
        try (InputStream in = Library.class.getClassLoader().getResourceAsStream(path)) {
            if (in == null) {
                return "the agent was built without a C compiler, and lacks " + path;
            }
            Native.allow(SharedSecrets.getJavaLangAccess());
            Files.copy(in, file.toPath());
            Ticks.load(file.getPath());
            return null;
        } catch (IOException | ReflectiveOperationException | LinkageError e) {
            return "the library that reads the counter cannot be loaded: " + e;
        } finally {
            file.delete(); // what is loaded stays
        }
    }
}
