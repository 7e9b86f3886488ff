package tracetax.agent;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tracetax.ring.Setup;

/** Settings that take an improvement away, and do as other tracers do. The first choice of each is the best. */
final class Settings {

    private static final Map<String, List<String>> CHOICES = new LinkedHashMap<>();

    static {
        CHOICES.put("clock-reads", List.of("2", "6", "wall"));
        CHOICES.put("metadata", List.of("number", "text", "map"));
        CHOICES.put("tree", List.of("order", "reference", "array", "stack"));
        CHOICES.put("store", List.of("ring", "objects", "pool"));
        CHOICES.put("queue", List.of("ring", "mpsc", "blocking"));
        CHOICES.put("unit", List.of("event", "span", "trace"));
    }

    private final Map<String, String> chosen = new LinkedHashMap<>();

    static boolean has(String key) {
        return CHOICES.containsKey(key);
    }

    static String keys() {
        return String.join(", ", CHOICES.keySet());
    }

    void set(String key, String value) {
        chosen.put(key, Options.choice(key, value, CHOICES.get(key).toArray(new String[0])));
    }

    private String get(String key) {
        return chosen.getOrDefault(key, CHOICES.get(key).get(0));
    }

    /** Refuses what makes no sense together. */
    void check() {
        if (get("unit").equals("span") && get("queue").equals("ring")) {
            throw Options.wrong("unit=span needs queue=mpsc or queue=blocking: a ring has the events of a thread in their order");
        }
    }

    /** Reports whether a setting but the clock's has another choice than the best. */
    boolean costly() {
        for (String key : CHOICES.keySet()) {
            if (!get(key).equals(CHOICES.get(key).get(0)) && !wall(key)) {
                return true;
            }
        }
        return false;
    }

    private boolean wall(String key) {
        return key.equals("clock-reads") && wall();
    }

    /** Reports whether the wall clock stamps the events. */
    boolean wall() {
        return get("clock-reads").equals("wall");
    }

    /** Hands the settings to the recorder. */
    void hand() {
        Setup.reads = get("clock-reads").equals("6") ? 6 : 2;
        Setup.metadata = get("metadata");
        Setup.tree = get("tree");
        Setup.store = get("store");
        Setup.queue = get("queue");
        Setup.unit = get("unit");
    }
}
