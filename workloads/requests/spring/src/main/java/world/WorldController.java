package world;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The endpoints. */
@RestController
public class WorldController {

    record Message(String message) {
    }

    private static final int MOST_QUERIES = 500;

    private final WorldService worlds;

    public WorldController(WorldService worlds) {
        this.worlds = worlds;
    }

    @GetMapping("/json")
    Message json() {
        return new Message("Hello, World!");
    }

    @GetMapping("/db")
    World db() {
        return worlds.one();
    }

    @GetMapping("/queries")
    List<World> queries(@RequestParam(required = false) String queries) {
        return worlds.several(count(queries));
    }

    @GetMapping("/updates")
    List<World> updates(@RequestParam(required = false) String queries) {
        return worlds.update(count(queries));
    }

    @GetMapping("/healthz")
    String healthz() {
        return "ok";
    }

    /** The number of rows that is asked for: 1 to 500, and 1 for what is not a number. */
    private static int count(String queries) {
        try {
            return Math.max(1, Math.min(MOST_QUERIES, Integer.parseInt(queries)));
        } catch (NumberFormatException e) {
            return 1;
        }
    }
}
