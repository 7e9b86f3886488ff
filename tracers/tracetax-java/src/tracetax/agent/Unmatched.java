package tracetax.agent;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Names the patterns that no method matched, and the nearest names, when the program ends. */
final class Unmatched extends Thread {

    private static final int NEAR = 3; // letters that may be wrong

    private final Instrumentation instrumentation;
    private final Weaver weaver;

    private Unmatched(Instrumentation instrumentation, Weaver weaver) {
        super(null, null, "tracetax-unmatched", 0, false);
        this.instrumentation = instrumentation;
        this.weaver = weaver;
    }

    static void nameAtEnd(Instrumentation instrumentation, Weaver weaver) {
        Runtime.getRuntime().addShutdownHook(new Unmatched(instrumentation, weaver));
    }

    @Override
    public void run() {
        List<Class<?>> classes = null;
        for (Pattern pattern : weaver.patterns) {
            if (pattern.matched) {
                continue;
            }
            if (classes == null) {
                classes = programs();
            }
            weaver.leave(pattern.toString(), why(pattern, classes));
        }
    }

    private List<Class<?>> programs() {
        List<Class<?>> classes = new ArrayList<>();
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            ClassLoader loader = type.getClassLoader();
            if (!type.isArray() && !type.isHidden() && loader != null && loader != ClassLoader.getPlatformClassLoader()) {
                classes.add(type);
            }
        }
        return classes;
    }

    private static String why(Pattern pattern, List<Class<?>> classes) {
        TreeSet<String> types = new TreeSet<>();
        TreeSet<String> methods = new TreeSet<>();
        for (Class<?> type : classes) {
            types.add(type.getName());
            if (pattern.hasClass(type.getName())) {
                addMethods(type, methods);
            }
        }
        if (!methods.isEmpty()) {
            return "no class of that name has such a method" + nearest(pattern.methods.get(0), methods);
        }
        return "no class of that name was loaded that has a method" + nearest(pattern.type, types);
    }

    private static void addMethods(Class<?> type, TreeSet<String> names) {
        try {
            for (Method method : type.getDeclaredMethods()) {
                names.add(method.getName());
            }
        } catch (LinkageError e) {
            return; // a class that the method's types need is missing
        }
    }

    private static String nearest(String wanted, TreeSet<String> names) {
        String nearest = null;
        int least = NEAR + 1;
        for (String name : names) {
            int distance = Math.abs(name.length() - wanted.length()) > NEAR ? least : distance(wanted, name);
            if (distance < least) {
                least = distance;
                nearest = name;
            }
        }
        return nearest == null ? "" : "; the nearest is " + nearest;
    }

    /** Returns how many letters have to be changed, added or taken away. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int corner = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int above = row[j];
                int change = corner + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, 1 + Math.min(above, row[j - 1]));
                corner = above;
            }
        }
        return row[b.length()];
    }
}
