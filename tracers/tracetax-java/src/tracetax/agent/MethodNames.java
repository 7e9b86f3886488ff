package tracetax.agent;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Numbers methods, and writes their names into the file methods before the first event can have the number. */
final class MethodNames {

    private static final int MOST = (1 << 19) - 1; // the last number means an owner

    /** A method's number, and the line that names it. */
    private static final class Numbered {
        final int number;
        boolean written;

        Numbered(int number) {
            this.number = number;
        }
    }

    private final FileOutputStream out;
    private final Map<String, Numbered> numbers = new HashMap<>();
    private final Set<String> untraced = new HashSet<>();
    private boolean torn; // a line was written in part: nothing can follow

    MethodNames(File file) {
        try {
            out = new FileOutputStream(file, true);
        } catch (IOException e) {
            throw Options.wrong("making " + file + ": " + e);
        }
    }

    /** Returns the number of all methods of that class and name, whatever loader and parameters; -1 where none is left. */
    synchronized int number(String type, String method) {
        String key = type + ' ' + method;
        Numbered known = numbers.get(key);
        if (known == null) {
            if (numbers.size() == MOST) {
                return -1;
            }
            known = new Numbered(numbers.size());
            numbers.put(key, known);
        }
        return known.number;
    }

    /** Names methods of a class. Where it fails none of them may be woven. */
    synchronized void write(String type, Iterable<String> methods) throws IOException {
        List<Numbered> fresh = new ArrayList<>();
        StringBuilder lines = new StringBuilder();
        for (String method : methods) {
            Numbered known = numbers.get(type + ' ' + method);
            if (!known.written && !fresh.contains(known)) {
                fresh.add(known);
                lines.append("{\"number\": ").append(known.number).append(", \"class\": ").append(Json.string(type))
                        .append(", \"method\": ").append(Json.string(method)).append("}\n");
            }
        }
        append(lines);
        for (Numbered known : fresh) {
            known.written = true;
        }
    }

    /** Names what is left alone, once. */
    synchronized void leave(String name, String why) {
        if (!untraced.add(name + ' ' + why)) {
            return;
        }
        try {
            append(new StringBuilder("{\"untraced\": ").append(Json.string(name)).append(", \"why\": ")
                    .append(Json.string(why)).append("}\n"));
        } catch (IOException e) {
            untraced.remove(name + ' ' + why); // the file system is full, and the reader sees that a line is torn
        }
    }

    private void append(StringBuilder lines) throws IOException {
        if (lines.length() == 0) {
            return;
        }
        if (torn) {
            throw new IOException("an earlier line is torn");
        }
        torn = true;
        out.write(lines.toString().getBytes(StandardCharsets.US_ASCII));
        torn = false;
    }
}
