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
                out.append("\\u").append(hexadecimal(c, 4));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    /** Returns the lowest digits of a number. A Formatter would cost the start 20 ms. */
    static String hexadecimal(int number, int digits) {
        StringBuilder out = new StringBuilder();
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            out.append(Character.forDigit(number >> shift & 15, 16));
        }
        return out.toString();
    }

    /** Returns a number with three decimals. */
    static String number(double number) {
        return Double.toString(Math.round(number * 1000) / 1000.0);
    }

    static String object(Map<String, String> pairs) {
        StringBuilder out = new StringBuilder("{");
        for (Map.Entry<String, String> pair : pairs.entrySet()) {
            out.append(out.length() > 1 ? ", " : "").append(string(pair.getKey())).append(": ").append(string(pair.getValue()));
        }
        return out.append('}').toString();
    }
}
