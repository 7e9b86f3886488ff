package tracetax.ring;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The methods that are woven, for the one question whether a thread has a call of another one open. */
public final class Woven implements Function<Stream<StackWalker.StackFrame>, Boolean> {

    private static final Set<String> NAMES = ConcurrentHashMap.newKeySet();
    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final Woven ALONE = new Woven();

    private Woven() {
    }

    /** Takes the name of a method before it is woven. */
    public static void add(String type, String method) {
        NAMES.add(type + ' ' + method);
    }

    /** Reports whether the call that is being entered is the only one on the stack. */
    static boolean alone() {
        return WALKER.walk(ALONE);
    }

    @Override
    public Boolean apply(Stream<StackWalker.StackFrame> frames) {
        boolean own = false;
        for (Iterator<StackWalker.StackFrame> rest = frames.iterator(); rest.hasNext();) {
            StackWalker.StackFrame frame = rest.next();
            if (NAMES.contains(frame.getClassName() + ' ' + frame.getMethodName())) {
                if (own) {
                    return false;
                }
                own = true;
            }
        }
        return true;
    }
}
