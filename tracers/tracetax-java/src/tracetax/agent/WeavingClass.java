package tracetax.agent;

import java.util.LinkedHashSet;
import java.util.Set;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Chooses the methods of a class. */
final class WeavingClass extends ClassVisitor {

    final Set<String> woven = new LinkedHashSet<>();

    private final String name;
    private final Weaver weaver;
    private final MethodNames names;
    private final Set<String> tooLarge;
    private int version;

    WeavingClass(ClassVisitor next, String name, Weaver weaver, MethodNames names, Set<String> tooLarge) {
        super(Opcodes.ASM9, next);
        this.name = name;
        this.weaver = weaver;
        this.names = names;
        this.tooLarge = tooLarge;
    }

    @Override
    public void visit(int version, int access, String path, String signature, String parent, String[] interfaces) {
        this.version = version & 0xFFFF;
        super.visit(version, access, path, signature, parent, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] exceptions) {
        MethodVisitor next = super.visitMethod(access, method, descriptor, signature, exceptions);
        if (method.startsWith("<") || (access & Opcodes.ACC_SYNTHETIC) != 0 || !weaver.chooses(name, method)) {
            return next;
        }
        if ((access & Opcodes.ACC_NATIVE) != 0) {
            weaver.leave(name + '.' + method, "it is native");
            return next;
        }
        if ((access & Opcodes.ACC_ABSTRACT) != 0) {
            if (weaver.expects(name, method)) {
                weaver.leave(name + '.' + method, "it is abstract: choose the classes that implement it");
            }
            return next;
        }
        if (tooLarge.contains(method + descriptor)) {
            return next;
        }
        int number = names.number(name, method);
        if (number < 0) {
            weaver.leave(name + '.' + method, "524287 methods are traced already");
            return next;
        }
        woven.add(method);
        return new WeavingMethod(next, weaver.recorder, number, version);
    }
}
