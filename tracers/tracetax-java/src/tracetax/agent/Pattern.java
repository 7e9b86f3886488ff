package tracetax.agent;

import java.util.List;

/** Methods of classes, such as com.acme.Cart[add,remove]. A star stands for any characters. */
final class Pattern {

    final String type;
    final List<String> methods;
    volatile boolean matched; // a method, traced or not

    private Pattern(String type, List<String> methods) {
        this.type = type;
        this.methods = methods;
    }

    static Pattern parse(String key, String text) {
        int open = text.indexOf('[');
        if (open <= 0 || !text.endsWith("]") || text.indexOf(']') != text.length() - 1 || text.lastIndexOf('[') != open) {
            throw Options.wrong(key + ": " + text + " is no pattern; write CLASS[METHOD,METHOD], such as com.acme.Cart[add,remove]");
        }
        List<String> methods = Options.split(text.substring(open + 1, text.length() - 1), ',');
        if (methods.isEmpty()) {
            throw Options.wrong(key + ": " + text + " names no method; write [*] for all");
        }
        return new Pattern(text.substring(0, open).trim(), methods);
    }

    @Override
    public String toString() {
        return type + '[' + String.join(",", methods) + ']';
    }

    boolean hasClass(String name) {
        return matches(type, name);
    }

    boolean hasMethod(String name) {
        for (String method : methods) {
            if (matches(method, name)) {
                return true;
            }
        }
        return false;
    }

    /** Reports whether the pattern has the method's name without a star. */
    boolean names(String method) {
        return methods.contains(method);
    }

    /** Matches a text. It never goes back further than to the last star, which bounds the time. */
    static boolean matches(String pattern, String text) {
        int p = 0;
        int t = 0;
        int star = -1;
        int behind = 0;
        while (t < text.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                behind = t;
            } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++behind;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
