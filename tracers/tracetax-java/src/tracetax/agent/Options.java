package tracetax.agent;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The agent's options: KEY=VALUE, separated by commas. A comma in brackets belongs to the value. */
final class Options {

    private static final String KEYS = "methods, dir, full, clock, ring, largest, memory, " + Settings.keys();
    private static final long SMALLEST = 4096;
    private static final long MOST = 1L << 30;

    List<Pattern> patterns = List.of();
    File folder; // null: the default
    boolean waits = true;
    String clock = "best";
    long first = 64 << 10;
    long largest = 4 << 20;
    long memory = 256 << 20;
    final Settings settings = new Settings();

    private Options() {
    }

    /** Reads the options; properties tracetax.KEY and the environment give what they leave open. */
    static Options parse(String text, Map<String, String> environment) {
        Options options = new Options();
        for (String key : KEYS.split(", ")) {
            String value = System.getProperty("tracetax." + key);
            if (value != null) {
                options.set(key, value);
            }
        }
        for (String part : split(text == null ? "" : text, ',')) {
            int equals = part.indexOf('=');
            if (equals < 0) {
                throw wrong("option " + part + " has no value; write KEY=VALUE, where KEY is one of " + KEYS);
            }
            options.set(part.substring(0, equals).trim(), part.substring(equals + 1).trim());
        }
        String methods = environment.get("OTEL_INSTRUMENTATION_METHODS_INCLUDE");
        if (options.patterns.isEmpty() && methods != null) {
            options.patterns = patterns("OTEL_INSTRUMENTATION_METHODS_INCLUDE", methods);
        }
        options.check();
        return options;
    }

    private void set(String key, String value) {
        switch (key) {
            case "methods":
                patterns = patterns(key, value);
                break;
            case "dir":
                folder = new File(required(key, value));
                break;
            case "full":
                waits = choice(key, value, "wait", "drop").equals("wait");
                break;
            case "clock":
                clock = choice(key, value, "best", "tsc", "nano", "page");
                break;
            case "ring":
                first = powerOfTwo(key, value);
                break;
            case "largest":
                largest = powerOfTwo(key, value);
                break;
            case "memory":
                memory = size(key, value);
                break;
            default:
                if (Settings.has(key)) {
                    settings.set(key, value);
                    break;
                }
                throw wrong("no option is called " + key + "; there are " + KEYS);
        }
    }

    private void check() {
        settings.check();
        if (patterns.isEmpty()) {
            throw wrong("no methods are named; write methods=com.acme.Cart[add,remove];com.acme.*[*]");
        }
        if (largest < first) {
            throw wrong("a ring begins with " + first + " bytes and may have " + largest + "; let largest= be at least ring=");
        }
    }

    private static List<Pattern> patterns(String key, String value) {
        List<Pattern> patterns = new ArrayList<>();
        for (String part : split(value, ';')) {
            patterns.add(Pattern.parse(key, part));
        }
        return patterns;
    }

    /** Splits at a character outside of brackets. Empty parts are left out. */
    static List<String> split(String text, char at) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : at;
            if (c == '[') {
                depth++;
            } else if (c == ']') {
                depth--;
            } else if (i == text.length() || c == at && depth <= 0) {
                String part = text.substring(from, i).trim();
                if (!part.isEmpty()) {
                    parts.add(part);
                }
                from = i + 1;
            }
        }
        return parts;
    }

    private static String required(String key, String value) {
        if (value.isEmpty()) {
            throw wrong(key + "= has no value");
        }
        return value;
    }

    static String choice(String key, String value, String... choices) {
        if (!List.of(choices).contains(value)) {
            throw wrong(key + "=" + value + " is none of " + String.join(", ", choices));
        }
        return value;
    }

    private static long powerOfTwo(String key, String value) {
        long size = size(key, value);
        if (size < SMALLEST || size > MOST || Long.bitCount(size) != 1) {
            throw wrong(key + "=" + value + " is no power of two from 4KiB to 1GiB");
        }
        return size;
    }

    /** Reads a number of bytes, with or without a unit. */
    private static long size(String key, String value) {
        String text = value.toLowerCase(Locale.ROOT);
        String[] units = {"kib", "mib", "gib"};
        int shift = 0;
        for (int i = 0; i < units.length; i++) {
            if (text.endsWith(units[i])) {
                text = text.substring(0, text.length() - 3);
                shift = 10 * (i + 1);
            }
        }
        try {
            return Math.multiplyExact(Long.parseUnsignedLong(text), 1L << shift);
        } catch (NumberFormatException | ArithmeticException e) {
            throw wrong(key + "=" + value + " is no size such as 65536, 64KiB, 4MiB");
        }
    }

    static IllegalArgumentException wrong(String message) {
        return new IllegalArgumentException(message);
    }
}
