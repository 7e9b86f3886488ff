package tracetax.agent;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.util.Optional;
import jdk.internal.access.SharedSecrets;
import jdk.internal.misc.Unsafe;

/**
 * A function of the processor's own, which reads its counter: a page of machine code, called by java.lang.foreign. That
 * package is asked for by name, since this source is compiled for JDK 17.
 */
final class MachineCode {

    /** rdtsc; shl rdx, 32; or rax, rdx; ret */
    private static final byte[] X86 = bytes(0x0F, 0x31, 0x48, 0xC1, 0xE2, 0x20, 0x48, 0x09, 0xD0, 0xC3);
    /** mrs x0, cntvct_el0; ret */
    private static final byte[] ARM = bytes(0x40, 0xE0, 0x3B, 0xD5, 0xC0, 0x03, 0x5F, 0xD6);

    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int EXECUTE = 4;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final long PAGE = 4096;

    private final Object linker;
    private final Class<?> layouts;
    private final Object number; // the layout of a long
    private final Object small; // the layout of an int

    private MachineCode() throws ReflectiveOperationException {
        layouts = foreign("MemoryLayout");
        linker = foreign("Linker").getMethod("nativeLinker").invoke(null);
        number = foreign("ValueLayout").getField("JAVA_LONG").get(null);
        small = foreign("ValueLayout").getField("JAVA_INT").get(null);
    }

    /** Returns a handle of type ()long. Its call is a plain one, without a change of the thread's state. */
    static MethodHandle handle() throws Throwable {
        Native.allow(SharedSecrets.getJavaLangAccess());
        MachineCode code = new MachineCode();
        long page = code.page(System.getProperty("os.arch").equals("aarch64") ? ARM : X86);
        Class<?> option = foreign("Linker$Option");
        Object options = Array.newInstance(option, 1);
        Array.set(options, 0, option.getMethod("critical", boolean.class).invoke(null, false));
        return code.function(segment(page), options, code.number).asType(methodType(long.class));
    }

    private long page(byte[] instructions) throws Throwable {
        MethodHandle mmap = function("mmap", number, number, number, small, small, small, number);
        long page = (long) mmap.invoke(0L, PAGE, READ | WRITE, PRIVATE_ANONYMOUS, -1, 0L);
        if (page == -1) {
            throw new IllegalStateException("mmap gives no page");
        }
        for (int i = 0; i < instructions.length; i++) {
            Unsafe.getUnsafe().putByte(page + i, instructions[i]);
        }
        MethodHandle mprotect = function("mprotect", small, number, number, small);
        if ((int) mprotect.invoke(page, PAGE, READ | EXECUTE) != 0) {
            throw new IllegalStateException("mprotect makes no page executable");
        }
        return page;
    }

    private MethodHandle function(String name, Object result, Object... arguments) throws ReflectiveOperationException {
        Object lookup = foreign("Linker").getMethod("defaultLookup").invoke(linker);
        Optional<?> found = (Optional<?>) foreign("SymbolLookup").getMethod("find", String.class).invoke(lookup, name);
        Object address = found.orElseThrow(() -> new IllegalStateException("the C library has no " + name));
        return function(address, Array.newInstance(foreign("Linker$Option"), 0), result, arguments);
    }

    private MethodHandle function(Object address, Object options, Object result, Object... arguments)
            throws ReflectiveOperationException {
        Object layout = Array.newInstance(layouts, arguments.length);
        for (int i = 0; i < arguments.length; i++) {
            Array.set(layout, i, arguments[i]);
        }
        Class<?> descriptor = foreign("FunctionDescriptor");
        Object type = descriptor.getMethod("of", layouts, layout.getClass()).invoke(null, result, layout);
        return (MethodHandle) foreign("Linker")
                .getMethod("downcallHandle", foreign("MemorySegment"), descriptor, options.getClass())
                .invoke(linker, address, type, options);
    }

    private static Object segment(long address) throws ReflectiveOperationException {
        return foreign("MemorySegment").getMethod("ofAddress", long.class).invoke(null, address);
    }

    private static Class<?> foreign(String name) throws ClassNotFoundException {
        return Class.forName("java.lang.foreign." + name);
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
