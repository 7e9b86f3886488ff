package tracetax.agent;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import tracetax.ring.Clock;
import tracetax.ring.Setup;

/** Chooses the clock: the best that is sound on this machine, or the one that was asked for, and measures it. */
final class Clocks {

    private static final long CLOCK_IN_READER = 128;
    private static final long LEAST = 10_000_000; // nanoseconds of measuring
    private static final long MOST = 60_000_000; // where the JIT is late
    private static final double COMPILED = 40; // nanoseconds that a read may take once it is compiled

    String name = "nano";
    String fallback; // why the clock is no better one; null where it is the best, or as asked
    double cost; // nanoseconds a read
    double step; // nanoseconds between two values

    private Clocks() {
    }

    /** Hands the clock to the recorder. A clock that was asked for and is not sound gives way to nano. */
    static Clocks choose(Options options, Folder folder) {
        String asked = options.clock;
        Clocks clocks = new Clocks();
        Setup.clock = Clock.NANO;
        if (options.settings.wall()) {
            Setup.clock = Clock.WALL;
            clocks.fallback = "clock-reads=wall reads the wall clock, in milliseconds";
        } else if (asked.equals("page")) {
            clocks.page(folder.reader);
        } else if (!asked.equals("nano")) {
            clocks.counter(folder, asked.equals("tsc"));
        }
        clocks.measure();
        return clocks;
    }

    private void page(File reader) {
        try (FileChannel channel = FileChannel.open(reader.toPath(), StandardOpenOption.READ)) {
            Setup.clockPage = Folder.address(channel.map(FileChannel.MapMode.READ_ONLY, 0, 4096)) + CLOCK_IN_READER;
            Setup.clock = Clock.PAGE;
            name = "page";
        } catch (IOException e) {
            fallback = "no reader keeps a clock page: " + e;
        }
    }

    private void counter(Folder folder, boolean asked) {
        fallback = unsound(System.getProperty("os.arch"), asked);
        if (fallback != null) {
            return;
        }
        String failed = "";
        if (Runtime.version().feature() >= 22) {
            try {
                Setup.ticks = MachineCode.handle();
                Setup.clock = Clock.HANDLE;
                name = "tsc";
                return;
            } catch (Throwable e) { // whatever a system forbids here, another way may be open
                failed = "machine code of the agent's own cannot be called (" + e + "), and ";
            }
        }
        String why = Library.load(folder);
        if (why == null) {
            Setup.clock = Clock.LIBRARY;
            name = "tsc";
            return;
        }
        fallback = failed + why;
    }

    /** Returns why the processor's counter is no clock here, or null. */
    private static String unsound(String processor, boolean asked) {
        try {
            String source = Files.readString(Path.of("/sys/devices/system/clocksource/clocksource0/current_clocksource")).trim();
            if (processor.equals("aarch64")) { // untried: its counter is used where it is asked for
                return asked && source.equals("arch_sys_counter") ? null : "the counter of this processor is used with clock=tsc only";
            }
            if (!processor.equals("amd64")) {
                return "no counter is known of the processor " + processor;
            }
            if (!source.equals("tsc")) {
                return "the kernel's clock is " + source + ", not tsc";
            }
            List<String> flags = flags();
            for (String flag : List.of("constant_tsc", "nonstop_tsc")) {
                if (!flags.contains(flag)) {
                    return "the processor has no " + flag;
                }
            }
            return null;
        } catch (IOException e) {
            return "the kernel does not say whether the counter is steady: " + e;
        }
    }

    private static List<String> flags() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
            if (line.startsWith("flags")) {
                return List.of(line.split("\\s+"));
            }
        }
        return List.of();
    }

    /** Measures cost and step: the cheapest of many rounds, and the largest number that divides all differences seen. */
    private void measure() {
        round(1); // what is linked at the first call is no cost of the others
        long ticks = Clock.now();
        long began = System.nanoTime();
        cost = Double.MAX_VALUE;
        for (long took = 0; took < LEAST || took < MOST && cost > COMPILED; took = System.nanoTime() - began) {
            cost = Math.min(cost, round(100));
        }
        long divisor = 0;
        long before = Clock.now();
        for (int i = 0; i < 1000; i++) {
            long now = Clock.now();
            divisor = divisor(divisor, now - before);
            before = now;
        }
        long ended = System.nanoTime();
        step = divisor * (name.equals("tsc") ? (double) (ended - began) / Math.max(1, before - ticks) : 1);
    }

    private static double round(int reads) {
        long began = System.nanoTime();
        long sum = 0;
        for (int i = 0; i < reads; i++) {
            sum += Clock.now();
        }
        long took = System.nanoTime() - began;
        return (took + (sum == 0 ? 1 : 0)) / (double) reads;
    }

    private static long divisor(long a, long b) {
        return b == 0 ? a : divisor(b, a % b);
    }
}
