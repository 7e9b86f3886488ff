package tracetax.agent;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Weaves one method: the entry in front, the exit before each return, and a handler at the end for what is thrown. The
 * handler covers all code but the recorder's own calls, and its frame has no locals: no types need be computed.
 */
final class WeavingMethod extends MethodVisitor {

    private final String recorder;
    private final int word;
    private final boolean frames;
    private final List<Label> ranges = new ArrayList<>(); // starts and ends in turn

    WeavingMethod(MethodVisitor next, String recorder, int number, int version) {
        super(Opcodes.ASM9, next);
        this.recorder = recorder;
        word = number << 1;
        frames = version >= Opcodes.V1_6;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        call("enter");
        mark();
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode < Opcodes.IRETURN || opcode > Opcodes.RETURN) {
            super.visitInsn(opcode);
            return;
        }
        mark();
        call("exit");
        super.visitInsn(opcode);
        mark();
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        mark();
        Label handler = new Label();
        super.visitLabel(handler);
        for (int i = 0; i < ranges.size(); i += 2) {
            if (ranges.get(i).getOffset() < ranges.get(i + 1).getOffset()) {
                super.visitTryCatchBlock(ranges.get(i), ranges.get(i + 1), handler, null);
            }
        }
        if (frames) {
            super.visitFrame(Opcodes.F_NEW, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
        }
        super.visitInsn(Opcodes.DUP);
        push();
        super.visitMethodInsn(Opcodes.INVOKESTATIC, recorder, "thrown", "(Ljava/lang/Throwable;I)V", false);
        super.visitInsn(Opcodes.ATHROW);
        super.visitMaxs(stack, locals);
    }

    /** Begins or ends a range that the handler covers. */
    private void mark() {
        Label here = new Label();
        super.visitLabel(here);
        ranges.add(here);
    }

    private void call(String name) {
        push();
        super.visitMethodInsn(Opcodes.INVOKESTATIC, recorder, name, "(I)V", false);
    }

    private void push() {
        if (word <= Byte.MAX_VALUE) {
            super.visitIntInsn(Opcodes.BIPUSH, word);
        } else if (word <= Short.MAX_VALUE) {
            super.visitIntInsn(Opcodes.SIPUSH, word);
        } else {
            super.visitLdcInsn(word);
        }
    }
}
