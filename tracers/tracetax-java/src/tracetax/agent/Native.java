package tracetax.agent;

import jdk.internal.access.JavaLangAccess;

/** Allows native access to unnamed modules, which JDK 24 and newer warn of otherwise. */
final class Native {

    private Native() {
    }

    static void allow(JavaLangAccess access) throws ReflectiveOperationException {
        if (Runtime.version().feature() < 22) {
            return; // nothing asks there, and the method had other names
        }
        JavaLangAccess.class.getMethod("addEnableNativeAccessToAllUnnamed").invoke(access);
    }
}
