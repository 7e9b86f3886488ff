package tracetax.agent;

import java.lang.instrument.Instrumentation;
import java.util.Map;

/** Starts the agent: reads the options, makes the program's folder, puts the recorder into the boot loader, weaves. */
public final class Start {

    private Start() {
    }

    /** Throws IllegalArgumentException, with one line, where an option or the folder is wrong. */
    public static void start(String text, Instrumentation instrumentation) {
        Map<String, String> environment = System.getenv();
        Options options = Options.parse(text, environment);
        Boot boot = Boot.open(instrumentation);
        Folder folder = Folder.make(options.folder);
        boot.define(options, folder);
        Clocks clocks = Clocks.choose(options, folder);
        boot.start(options);
        MethodNames names = new MethodNames(folder.file("methods"));
        About.write(folder, clocks, environment);
        Weaver weaver = new Weaver(options, names, Start.class.getClassLoader());
        instrumentation.addTransformer(weaver, true);
        Loaded.weave(instrumentation, weaver);
        Unmatched.nameAtEnd(instrumentation, weaver);
    }
}
