package world;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Reads and changes rows, each request in one transaction. */
@Service
public class WorldService {

    private static final int ROWS = 10_000;

    private final WorldRepository worlds;

    public WorldService(WorldRepository worlds) {
        this.worlds = worlds;
    }

    @Transactional(readOnly = true)
    public World one() {
        return find(random());
    }

    @Transactional(readOnly = true)
    public List<World> several(int count) {
        return ids(count).mapToObj(this::find).toList();
    }

    /**
     * Gives rows a new number. They are read, and written when the transaction commits,
     * in the order of their ids: two requests that took them in other orders could wait
     * for each other for ever.
     */
    @Transactional
    public List<World> update(int count) {
        List<World> rows = ids(count).sorted().mapToObj(this::find).toList();
        rows.forEach(WorldService::renumber);
        return rows;
    }

    private World find(int id) {
        return worlds.findById(id).orElseThrow();
    }

    /** Never the number that the row has: for that one Hibernate would write nothing. */
    private static void renumber(World row) {
        int number = random();
        while (number == row.getRandomNumber()) {
            number = random();
        }
        row.setRandomNumber(number);
    }

    /** Ids that differ: a row that the session has already read is not asked for again. */
    private static IntStream ids(int count) {
        return ThreadLocalRandom.current().ints(1, ROWS + 1).distinct().limit(count);
    }

    private static int random() {
        return ThreadLocalRandom.current().nextInt(1, ROWS + 1);
    }
}
