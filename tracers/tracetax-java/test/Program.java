import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Calls that are counted: java Program KIND COUNT [THREADS]. It prints how many calls of traced methods it made. */
public class Program {

    static int recurse(int depth) {
        return depth <= 1 ? 1 : 1 + recurse(depth - 1);
    }

    static int fail(int depth) {
        if (depth <= 1) {
            throw new IllegalStateException("as asked");
        }
        return fail(depth - 1);
    }

    static int half(int depth) throws InterruptedException {
        if (depth == 5) {
            Thread.sleep(10);
        }
        return depth <= 1 ? 1 : 1 + half(depth - 1);
    }

    static int endless(int depth) {
        return 1 + endless(depth + 1);
    }

    static int leaf(int n) {
        return n + 1;
    }

    /** Calls a traced method from the end of the stack upwards. What is traced is first called where hardly any room is left. */
    static int bottom(int depth, long[] calls) {
        int deeper = 0;
        try {
            deeper = bottom(depth + 1, calls);
        } catch (StackOverflowError e) {
            calls[2]++; // not a call: it shows the JIT that the handler does something
        }
        try {
            leaf(depth);
            calls[0]++;
        } catch (StackOverflowError e) {
            calls[1]++;
        }
        return deeper + 1;
    }

    static void forbidFiles() {
        try {
            System.setSecurityManager(new SecurityManager() {
                @Override
                public void checkPermission(java.security.Permission permission) {
                    if (permission instanceof java.io.FilePermission) {
                        throw new SecurityException("forbidden: " + permission);
                    }
                }
            });
        } catch (UnsupportedOperationException e) {
            return; // JDK 24 and newer have none
        }
    }

    /** Returns in several ways, within handlers and monitors. */
    synchronized int ways(int way) {
        try {
            switch (way & 3) {
                case 0:
                    return 0;
                case 1:
                    throw new IllegalStateException("way");
                case 2:
                    synchronized (Program.class) {
                        return 2;
                    }
                default:
                    return Integer.parseInt("x" + way);
            }
        } catch (NumberFormatException e) {
            return 3;
        } catch (IllegalStateException e) {
            return 1;
        } finally {
            recurse(1);
        }
    }

    interface Body {
        long run() throws Exception;
    }

    static long threads(int threads, boolean virtual, Body body) throws Exception {
        CountDownLatch done = new CountDownLatch(threads);
        long[] calls = new long[threads];
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int own = i;
            Runnable run = () -> {
                try {
                    calls[own] = body.run();
                } catch (Exception e) {
                    e.printStackTrace();
                } finally {
                    done.countDown();
                }
            };
            Thread thread = virtual ? (Thread) Class.forName("java.lang.Thread").getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, run) : new Thread(run);
            if (!virtual) {
                thread.start();
            }
            all.add(thread);
        }
        done.await();
        for (Thread thread : all) {
            thread.join();
        }
        long sum = 0;
        for (long call : calls) {
            sum += call;
        }
        return sum;
    }

    static long recursions(int count, int depth) {
        long calls = 0;
        for (int i = 0; i < count; i++) {
            calls += recurse(depth);
        }
        return calls;
    }

    static long failures(int count) {
        for (int i = 0; i < count; i++) {
            try {
                fail(10);
            } catch (IllegalStateException e) {
                continue;
            }
        }
        return 10L * count;
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[1]);
        int threads = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1;
        long calls = 0;
        switch (arguments[0]) {
            case "recurse":
                calls = recursions(count, 10);
                break;
            case "time":
                for (int round = 0; round < 8; round++) {
                    long before = System.nanoTime();
                    calls += recursions(count, 10);
                    System.out.printf("%.1f ns a call%n", (System.nanoTime() - before) / 10.0 / count);
                }
                break;
            case "time-virtual":
                for (int round = 0; round < 8; round++) {
                    long before = System.nanoTime();
                    calls += threads(threads, true, () -> recursions(count, 10));
                    System.out.printf("%.1f ns a call%n", (System.nanoTime() - before) / 10.0 / count / threads);
                }
                break;
            case "deep":
                calls = recursions(count, 4096);
                break;
            case "fail":
                calls = failures(count);
                break;
            case "ways":
                Program program = new Program();
                for (int i = 0; i < count; i++) {
                    if (program.ways(i) != (i & 3)) {
                        throw new IllegalStateException("the woven method answers wrongly");
                    }
                }
                calls = 2L * count;
                break;
            case "endless":
                for (int i = 0; i < count; i++) {
                    try {
                        endless(0);
                    } catch (StackOverflowError e) {
                        calls += recurse(10);
                    }
                }
                calls += recursions(1000, 10);
                break;
            case "threads":
                calls = threads(threads, false, () -> recursions(count, 10));
                break;
            case "short":
                for (int i = 0; i < threads; i++) {
                    calls += threads(1, false, () -> recursions(count, 10));
                }
                break;
            case "virtual":
                calls = threads(threads, true, () -> {
                    long sum = 0;
                    for (int i = 0; i < count; i++) {
                        sum += half(10);
                    }
                    return sum;
                });
                break;
            case "bottom":
                long[] made = new long[3];
                Throwable[] failed = new Throwable[1];
                for (int i = 0; i < threads; i++) {
                    Thread thread = new Thread(null, () -> bottom(0, made), "bottom", 256 << 10);
                    thread.setUncaughtExceptionHandler((of, e) -> failed[0] = e);
                    thread.start();
                    thread.join();
                }
                if (failed[0] != null) {
                    throw new IllegalStateException("a thread failed", failed[0]);
                }
                calls = made[0];
                System.out.println("overflown " + made[1]);
                break;
            case "forbidden":
                calls = recursions(1000, 10) + threads(1, false, () -> 0); // loads the classes
                Body body = () -> recursions(count, 10);
                forbidFiles();
                calls += recursions(count, 10);
                long others = threads(1, false, body); // it has no ring
                if (others != 10L * count) {
                    throw new IllegalStateException("a thread failed");
                }
                calls += others;
                break;
            case "interrupted":
                Thread.currentThread().interrupt();
                calls = recursions(count, 10);
                if (!Thread.currentThread().isInterrupted()) {
                    throw new IllegalStateException("the interrupt was lost");
                }
                break;
            default:
                throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("calls " + calls);
    }
}
