package tracetax.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.internal.misc.Unsafe;
import tracetax.ring.Setup;

/**
 * Puts the recorder into the boot loader, where woven code of every loader finds it. Defining the classes there one by
 * one leaves the boot class path as it is; a longer one would end the sharing of classes, with a warning.
 */
final class Boot {

    private static final String[] CLASSES = {
        "Setup", "Layout", "Clock", "Ticks", "Carriers", "Pause", "Gate", "Stack", "RingFile", "Budget", "Reader", "Place",
        "Writer", "CarrierWriter", "Seats", "Woven", "Recorder",
    };
    /** The classes behind the settings that take an improvement away. */
    private static final String[] COSTLY = {
        "Handed", "Slots", "Pool", "Node", "Track", "Tree", "Metadata", "Handover", "Costs",
    };

    private final Instrumentation instrumentation;

    private Boot(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    /** Opens what the agent needs of java.base to the agent. */
    static Boot open(Instrumentation instrumentation) {
        for (Class<?> loaded : instrumentation.getInitiatedClasses(null)) {
            if (loaded.getName().equals("tracetax.ring.Recorder")) {
                throw Options.wrong("the agent is in this JVM already; remove one -javaagent (see JAVA_TOOL_OPTIONS too)");
            }
        }
        Boot boot = new Boot(instrumentation);
        boot.export(Boot.class.getModule(), "jdk.internal.misc", "jdk.internal.access", "jdk.internal.vm");
        return boot;
    }

    private void export(Module to, String... packages) {
        Module base = Object.class.getModule();
        for (String name : packages) {
            if (base.getPackages().contains(name)) {
                instrumentation.redefineModule(base, Set.of(), Map.of(name, Set.of(to)), Map.of(), Set.of(), Map.of());
            }
        }
    }

    /** Defines the recorder's classes and hands the options over. No class is initialised but the one that takes them. */
    void define(Options options, Folder folder) {
        List<String> names = names(options);
        for (String name : names) {
            byte[] code = code(name);
            Class<?> type = Unsafe.getUnsafe().defineClass("tracetax/ring/" + name, code, 0, code.length, null, null);
            if (name.equals("Setup")) {
                export(type.getModule(), "jdk.internal.misc", "sun.nio.ch");
            }
        }
        Setup.folder = folder.program;
        Setup.reader = folder.reader;
        Setup.alive = folder.alive;
        Setup.first = options.first;
        Setup.largest = options.largest;
        Setup.memory = options.memory;
        Setup.waits = options.waits;
        options.settings.hand();
        VirtualThreads.find();
    }

    private static List<String> names(Options options) {
        List<String> names = new ArrayList<>(List.of(CLASSES));
        if (options.settings.costly()) {
            names.addAll(List.of(COSTLY));
        }
        return names;
    }

    private static byte[] code(String name) {
        String path = "boot/tracetax/ring/" + name + ".class";
        try (InputStream in = Boot.class.getClassLoader().getResourceAsStream(path)) {
            if (in == null) {
                throw Options.wrong("the agent's jar lacks " + path + "; build it again");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw Options.wrong("reading " + path + " from the agent's jar: " + e.getMessage());
        }
    }

    /** Initialises all classes: a thread of the program never waits for another that initialises one. */
    void start(Options options) {
        List<String> names = names(options);
        for (String name : names) {
            try {
                Class.forName("tracetax.ring." + name, true, null);
            } catch (ClassNotFoundException e) {
                throw Options.wrong("the class " + name + " of the recorder was not defined: " + e.getMessage());
            }
        }
    }
}
