package tracetax.ring;

/** An open call that knows its parent, or the context before it. */
final class Node {

    final Node parent;
    final Object[] before;
    final int word;

    Node(Node parent, Object[] before, int word) {
        this.parent = parent;
        this.before = before;
        this.word = word;
    }
}
