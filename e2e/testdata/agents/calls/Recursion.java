package calls;

/** The method that agents instrument. */
public class Recursion {
    public int call(int depth) {
        return depth > 1 ? 1 + call(depth - 1) : 1;
    }
}
