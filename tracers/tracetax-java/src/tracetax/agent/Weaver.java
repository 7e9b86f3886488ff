package tracetax.agent;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassTooLargeException;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import tracetax.ring.Metadata;
import tracetax.ring.Woven;

/** Weaves the calls of the recorder into the methods that the patterns choose. What it leaves alone it names. */
final class Weaver implements ClassFileTransformer {

    final List<Pattern> patterns;
    private final MethodNames names;
    private final ClassLoader own;
    private final WeakHashMap<ClassLoader, Boolean> finders = new WeakHashMap<>();

    final String recorder; // the class whose methods are called
    private final boolean describes;

    Weaver(Options options, MethodNames names, ClassLoader own) {
        this.patterns = options.patterns;
        this.describes = options.settings.costly();
        this.recorder = describes ? "tracetax/ring/Costs" : "tracetax/ring/Recorder";
        this.names = names;
        this.own = own;
    }

    /** Reports whether a pattern names the class. The agent leaves out its own classes and the JDK's. */
    boolean wants(ClassLoader loader, String name) {
        if (loader == null || loader == own || loader == ClassLoader.getPlatformClassLoader()) {
            return false;
        }
        if (name.startsWith("tracetax.ring.") || name.startsWith("tracetax.agent.") || name.startsWith("jdk.internal.")) {
            return false;
        }
        for (Pattern pattern : patterns) {
            if (pattern.hasClass(name)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public byte[] transform(ClassLoader loader, String path, Class<?> before, ProtectionDomain domain, byte[] code) {
        if (path == null) {
            return null;
        }
        String name = path.replace('/', '.');
        if (!wants(loader, name)) {
            return null;
        }
        try {
            return weave(loader, name, code);
        } catch (IOException e) {
            leave(name, "the names of its methods cannot be written: " + e.getMessage());
        } catch (ClassTooLargeException e) {
            leave(name, "it would have more than 65535 constants");
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            leave(name, "it cannot be woven: " + e);
        }
        return null;
    }

    private byte[] weave(ClassLoader loader, String name, byte[] code) throws IOException {
        ClassReader reader;
        try {
            reader = new ClassReader(code);
        } catch (IllegalArgumentException e) {
            leave(name, "the agent does not know its class file: " + e.getMessage());
            return null;
        }
        Set<String> tooLarge = new HashSet<>();
        for (;;) {
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            WeavingClass weaving = new WeavingClass(writer, name, this, names, tooLarge);
            reader.accept(weaving, ClassReader.EXPAND_FRAMES);
            if (weaving.woven.isEmpty()) {
                return null;
            }
            byte[] result;
            try {
                result = writer.toByteArray();
            } catch (MethodTooLargeException e) {
                if (!tooLarge.add(e.getMethodName() + e.getDescriptor())) {
                    throw e;
                }
                leave(name + '.' + e.getMethodName(), "its code would be larger than 64 KB");
                continue;
            }
            if (!findsRecorder(loader)) {
                leave(name, "its class loader does not ask the boot loader for tracetax.ring.Recorder");
                return null;
            }
            names.write(name, weaving.woven);
            describe(name, weaving.woven);
            return result;
        }
    }

    private void describe(String name, Set<String> methods) {
        for (String method : methods) {
            Woven.add(name, method);
            if (describes) {
                Metadata.name(names.number(name, method), method);
            }
        }
    }

    /** Asks the loader for the recorder. A class of a loader that hides it would fail at its first woven call. */
    private boolean findsRecorder(ClassLoader loader) {
        synchronized (finders) {
            Boolean known = finders.get(loader);
            if (known != null) {
                return known;
            }
        }
        boolean finds;
        try {
            finds = Class.forName("tracetax.ring.Recorder", false, loader).getClassLoader() == null;
        } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
            finds = false;
        }
        synchronized (finders) {
            finders.put(loader, finds);
        }
        return finds;
    }

    /** Reports whether a pattern chooses the method. */
    boolean chooses(String type, String method) {
        boolean chosen = false;
        for (Pattern pattern : patterns) {
            if (pattern.hasClass(type) && pattern.hasMethod(method)) {
                pattern.matched = true;
                chosen = true;
            }
        }
        return chosen;
    }

    /** Reports whether a pattern names the method without a star: then its user expects spans. */
    boolean expects(String type, String method) {
        for (Pattern pattern : patterns) {
            if (pattern.hasClass(type) && pattern.names(method)) {
                return true;
            }
        }
        return false;
    }

    void leave(String name, String why) {
        names.leave(name, why);
    }
}
