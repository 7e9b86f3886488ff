package tracetax;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;

/** The JVM calls this class. All others lie behind a class loader of their own, and never meet the program's classes. */
public final class Agent {

    private Agent() {
    }

    /** Starts the agent before the program. What is wrong stops the start, with one line. */
    public static void premain(String options, Instrumentation instrumentation) {
        try {
            start(options, instrumentation);
        } catch (IllegalArgumentException e) {
            System.err.println("tracetax: " + e.getMessage());
            Runtime.getRuntime().halt(1);
        }
    }

    /** Starts the agent in a program that runs. Whoever attaches it gets the error. */
    public static void agentmain(String options, Instrumentation instrumentation) {
        start(options, instrumentation);
    }

    private static void start(String options, Instrumentation instrumentation) {
        try {
            new Loader(Agent.class.getClassLoader())
                    .loadClass("tracetax.agent.Start")
                    .getMethod("start", String.class, Instrumentation.class)
                    .invoke(null, options, instrumentation);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException) {
                throw (IllegalArgumentException) e.getCause();
            }
            throw new IllegalArgumentException("the agent cannot start in this JVM: " + e.getCause(), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("the agent's jar lacks a class: " + e.getMessage() + "; build it again", e);
        }
    }
}
