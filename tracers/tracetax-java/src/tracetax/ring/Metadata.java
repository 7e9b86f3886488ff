package tracetax.ring;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** Gives a call its method's name and more, as other tracers do. The number in the event is enough, and costs nothing. */
public final class Metadata {

    private static final boolean TEXT = Setup.metadata.equals("text"); // the signature, built by reflection for each call
    private static final boolean MAP = Setup.metadata.equals("map"); // OpenTelemetry: attributes, copied at the end
    private static final String[] NAMES = new String[TEXT || MAP ? 1 << 19 : 0];
    private static final Method[] METHODS = new Method[NAMES.length];
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private Metadata() {
    }

    /** Takes the name of a method before it is woven. */
    public static void name(int number, String method) {
        if (TEXT || MAP) {
            NAMES[number] = method;
        }
    }

    static void enter(Track track, int word) {
        if (TEXT) {
            track.texts[track.depth] = text(method(word >> 1));
        }
        if (MAP) {
            Map<String, Object> attributes = new HashMap<>();
            Method method = method(word >> 1);
            attributes.put("thread.id", track.number);
            attributes.put("thread.name", track.thread.getName());
            attributes.put("code.namespace", method.getDeclaringClass().getName());
            attributes.put("code.function", method.getName());
            track.maps[track.depth] = attributes;
        }
    }

    static void exit(Track track) {
        if (TEXT) {
            track.texts[track.depth] = null;
        }
        if (MAP) {
            Map<String, Object> copy = Collections.unmodifiableMap(new HashMap<>(track.maps[track.depth]));
            track.noise += copy.size();
            track.maps[track.depth] = null;
        }
    }

    private static String text(Method method) {
        StringBuilder text = new StringBuilder(method.getDeclaringClass().getName());
        text.append('.').append(method.getName()).append('(');
        for (Class<?> parameter : method.getParameterTypes()) {
            text.append(parameter.getName()).append(',');
        }
        return text.append(')').toString();
    }

    /** Returns the first method of that name, which the stack has on top when it is asked for first. */
    private static Method method(int number) {
        Method known = METHODS[number];
        if (known != null) {
            return known;
        }
        String name = NAMES[number];
        Class<?> type = WALKER.walk(frames -> frames.filter(frame -> frame.getMethodName().equals(name)).findFirst())
                .orElseThrow(() -> new IllegalStateException("no frame is of the method " + name)).getDeclaringClass();
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(name)) {
                METHODS[number] = method;
                return method;
            }
        }
        throw new IllegalStateException(type.getName() + " has no method " + name);
    }
}
