package tracetax.calls;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Takes orders, a line each, and answers them (docs/self-driving.md). Sockets are the plain
 * blocking ones, which no tracer instruments.
 */
final class Server {

    private final Meters meters = new Meters();
    private Stretch stretch;

    /** Listens until the work is over: at "stop", or where a connection ends on which a line came. */
    void listen(int port) throws IOException {
        try (ServerSocket server = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
            boolean over = false;
            while (!over) {
                try (Socket socket = server.accept()) {
                    over = talk(socket);
                }
            }
        }
    }

    /** Whether the work is over. A connection without a line only asked whether anybody listens. */
    private boolean talk(Socket socket) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        OutputStream out = socket.getOutputStream();
        boolean asked = false;
        for (;;) {
            String line = readLine(in, asked);
            if (line == null) {
                return asked;
            }
            asked = true;
            out.write((answer(line) + "\n").getBytes(StandardCharsets.US_ASCII));
            out.flush();
            if (line.equals("stop")) {
                return true;
            }
        }
    }

    /** A broken connection is an ended one. */
    private static String readLine(BufferedReader in, boolean asked) {
        try {
            return in.readLine();
        } catch (IOException e) {
            if (asked) {
                System.err.println("calls: the connection broke: " + e.getMessage());
            }
            return null;
        }
    }

    private String answer(String line) {
        try {
            int blank = line.indexOf(' ');
            String verb = blank < 0 ? line : line.substring(0, blank);
            return switch (verb) {
                case "prepare" -> prepare(blank < 0 ? "" : line.substring(blank + 1));
                case "run" -> "done " + prepared().make();
                case "write" -> "written samples=" + prepared().write();
                case "live" -> live();
                case "stop" -> "bye";
                default -> throw new IllegalArgumentException("unknown order \"" + verb + "\"");
            };
        } catch (Exception | OutOfMemoryError e) {
            return "error " + (e.toString()).replaceAll("[^ -~]+", " ");
        }
    }

    private String prepare(String words) {
        Order order = Order.parse(words);
        if (stretch != null) {
            stretch.cancel();
        }
        stretch = null; // its arrays make room for the new ones
        stretch = new Stretch(order, meters);
        return "prepared moments=1";
    }

    private Stretch prepared() {
        if (stretch == null) {
            throw new IllegalStateException("no order was prepared");
        }
        return stretch;
    }

    private String live() {
        System.gc();
        return "live heap_live_bytes=" + meters.heap();
    }
}
