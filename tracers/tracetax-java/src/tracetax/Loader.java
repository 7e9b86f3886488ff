package tracetax;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Loads the agent's classes and ASM's from the folder inst/ of the agent's jar, where the program does not look. */
final class Loader extends ClassLoader {

    private final ClassLoader jar;

    Loader(ClassLoader jar) {
        super("tracetax", ClassLoader.getPlatformClassLoader());
        this.jar = jar;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] code = in.readAllBytes();
            return defineClass(name, code, 0, code.length);
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + name + " from the agent's jar", e);
        }
    }

    @Override
    public InputStream getResourceAsStream(String name) {
        return jar.getResourceAsStream("inst/" + name);
    }
}
