import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Classes that no compiler makes: old and new versions, subroutines, hostile names, loaders that hide the boot loader's. */
public class Odd extends ClassLoader implements Opcodes {

    static final String HOSTILE = "a\"b\\{}\n\u00e4\ud83d\udc31\ud800";

    private final boolean hides;

    Odd(boolean hides) {
        super(Odd.class.getClassLoader());
        this.hides = hides;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (hides && name.startsWith("tracetax.")) {
            throw new ClassNotFoundException(name);
        }
        return super.loadClass(name, resolve);
    }

    /** A class with a method that adds one in a subroutine (before Java 6), or plainly. */
    static byte[] code(String name, int version, String method) {
        ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        out.visit(version, ACC_PUBLIC, name, null, "java/lang/Object", null);
        MethodVisitor code = out.visitMethod(ACC_PUBLIC | ACC_STATIC, method, "(I)I", null, null);
        code.visitCode();
        if ((version & 0xFFFF) < V1_6) {
            Label subroutine = new Label();
            code.visitJumpInsn(JSR, subroutine);
            code.visitVarInsn(ILOAD, 0);
            code.visitInsn(IRETURN);
            code.visitLabel(subroutine);
            code.visitVarInsn(ASTORE, 1);
            code.visitIincInsn(0, 1);
            code.visitVarInsn(RET, 1);
        } else {
            code.visitIincInsn(0, 1);
            code.visitVarInsn(ILOAD, 0);
            code.visitInsn(IRETURN);
        }
        code.visitMaxs(0, 0);
        code.visitEnd();
        out.visitEnd();
        return out.toByteArray();
    }

    static void call(boolean hides, String name, int version, String method) throws Exception {
        byte[] code = code(name, version, method);
        Class<?> type;
        try {
            type = new Odd(hides).defineClass(name, code, 0, code.length);
        } catch (UnsupportedClassVersionError e) {
            System.out.println(name + " is too new for this JVM");
            return;
        }
        for (Method found : type.getDeclaredMethods()) {
            if (Modifier.isStatic(found.getModifiers()) && !found.invoke(null, 41).equals(42)) {
                throw new IllegalStateException(name + " answers wrongly");
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int version : new int[] {V1_1, V1_2, V1_4, V1_5, V1_6, V1_7, V1_8, V17}) {
            call(false, "Odd" + (version & 0xFFFF), version, "add");
        }
        call(false, "Odd99", 99, "add");
        call(true, "OddHidden", V1_8, "add");
        call(false, "OddNames", V1_8, HOSTILE);
        call(false, "Odd\"Class\u00e4", V1_8, "add");
        call(false, "OddTwice", V1_8, "add");
        call(false, "OddTwice", V1_8, "add");
        System.out.println("calls " + (8 + 1 + 1 + 2));
    }
}
