package tracetax.ring;

/** Finds a call's parent as other tracers do. The order of the events alone is enough, and costs nothing. */
final class Tree {

    private static final boolean REFERENCE = Setup.tree.equals("reference"); // each call refers to its parent
    private static final boolean ARRAY = Setup.tree.equals("array"); // OpenTelemetry: a context is an array, copied for each call
    private static final boolean STACK = Setup.tree.equals("stack"); // Elastic: a stack of contexts

    private Tree() {
    }

    static void enter(Track track, int word) {
        if (REFERENCE) {
            track.node = new Node(track.node, null, word);
        }
        if (ARRAY) {
            Object[] before = track.context;
            Object[] context = before.clone();
            context[1] = new Node(null, before, word);
            track.context = context;
        }
        if (STACK) {
            track.stack[track.depth] = new Node(null, null, word);
        }
    }

    static void exit(Track track) {
        if (REFERENCE) {
            track.node = track.node.parent;
        }
        if (ARRAY) {
            track.context = ((Node) track.context[1]).before;
        }
        if (STACK) {
            track.stack[track.depth] = null;
        }
    }
}
