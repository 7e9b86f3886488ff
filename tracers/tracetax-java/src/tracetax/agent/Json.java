package tracetax.agent;

import java.util.Map;

/** Writes JSON. Names of classes and methods may have any character in them. */
final class Json {

    private Json() {
    }

    /** Returns a string with its quotes. Characters beyond ASCII are escaped, also halves of pairs, which UTF-8 cannot have. */
    static String string(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    static String object(Map<String, String> pairs) {
        StringBuilder out = new StringBuilder("{");
        for (Map.Entry<String, String> pair : pairs.entrySet()) {
            out.append(out.length() > 1 ? ", " : "").append(string(pair.getKey())).append(": ").append(string(pair.getValue()));
        }
        return out.append('}').toString();
    }
}
