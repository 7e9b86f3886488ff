package tracetax.calls;

import java.io.IOException;

/** The program: makes recursive calls as it is ordered to, over TCP on loopback. */
public final class Main {

    private Main() {
    }

    /** Takes the port to listen on, or "clock" to compare the timed loop with the bare clock. */
    public static void main(String[] args) throws IOException {
        if (args.length == 1 && args[0].equals("clock")) {
            Clock.compare();
            return;
        }
        if (args.length != 1 || !args[0].matches("[0-9]{1,5}")) {
            System.err.println("usage: Main PORT | clock");
            System.exit(2);
        }
        new Server().listen(Integer.parseInt(args[0]));
        System.exit(0); // a thread of a tracer must not keep the program
    }
}
