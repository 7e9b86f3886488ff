package calls;

import java.io.IOException;

/**
 * Makes so many calls for each line on its input, and ends when the input does: an agent
 * has time to connect before, and to send between and behind.
 */
public class Main {
    public static void main(String[] arguments) throws IOException {
        int calls = Integer.parseInt(arguments[0]);
        int depth = Integer.parseInt(arguments[1]);
        System.out.println("ready");
        Recursion recursion = null;
        while (System.in.read() >= 0) {
            if (recursion == null) {
                recursion = new Recursion();
            }
            int made = 0;
            for (int i = 0; i < calls; i++) {
                made += recursion.call(depth);
            }
            System.out.println("made " + made);
        }
    }
}
