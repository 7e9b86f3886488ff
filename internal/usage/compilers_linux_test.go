package usage

import "testing"

// Threads of compilers are told by their names, which the kernel cuts to 15 bytes.
func TestCompilersByName(t *testing.T) {
	for name, want := range map[string]bool{
		"C2 CompilerThre\n": true, "C1 CompilerThre\n": true, ".NET Tiered Com\n": true, "JIT Compilation\n": true, "JVMCI-native Co\n": true,
		"C2\n": false, "http-nio-8080-e\n": false, "G1 Conc#0\n": false, ".NET TP Worker\n": false, "": false,
	} {
		if got := compiles(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}
