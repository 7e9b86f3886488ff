package tracetax.ring;

/** An object of a call, and what is handed over to the thread that writes: an event, a span or a trace. */
final class Handed {

    long thread;
    int depth;
    long first; // an event, or a span's entry
    long second; // a span's exit; 0: none
    long[] trace; // a trace's events, else null
    int length;
}
