package tracetax.agent;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import jdk.internal.access.JavaLangAccess;
import jdk.internal.access.SharedSecrets;
import tracetax.ring.Setup;

/** Finds what JDK 21 and newer have for virtual threads, and 17 has not. */
final class VirtualThreads {

    private VirtualThreads() {
    }

    static void find() {
        if (Runtime.version().feature() < 21) {
            return;
        }
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            Class<?> continuation = Class.forName("jdk.internal.vm.Continuation");
            MethodHandle carrier = lookup.findVirtual(JavaLangAccess.class, "currentCarrierThread", methodType(Thread.class));
            Setup.carrier = carrier.bindTo(SharedSecrets.getJavaLangAccess());
            Setup.pin = lookup.findStatic(continuation, "pin", methodType(void.class));
            Setup.unpin = lookup.findStatic(continuation, "unpin", methodType(void.class));
            Setup.isVirtual = lookup.findVirtual(Thread.class, "isVirtual", methodType(boolean.class));
        } catch (ReflectiveOperationException e) {
            throw Options.wrong("this JDK hides what the agent needs for virtual threads: " + e);
        }
    }
}
