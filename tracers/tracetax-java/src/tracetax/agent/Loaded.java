package tracetax.agent;

import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;

/** Weaves classes that were loaded before the agent. Methods that run already are not recorded until their next call. */
final class Loaded {

    private Loaded() {
    }

    static void weave(Instrumentation instrumentation, Weaver weaver) {
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            if (!weaver.wants(type.getClassLoader(), type.getName()) || !instrumentation.isModifiableClass(type) || type.isHidden()) {
                continue;
            }
            try {
                instrumentation.retransformClasses(type);
            } catch (UnmodifiableClassException | LinkageError | UnsupportedOperationException e) {
                weaver.leave(type.getName(), "it was loaded before the agent, and cannot be changed: " + e);
            }
        }
    }
}
