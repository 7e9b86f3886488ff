package inside

import "testing"

func TestJavaText(t *testing.T) {
	for name, test := range map[string]struct{ release, want string }{
		"Debian":         {"IMPLEMENTOR=\"Debian\"\nJAVA_RUNTIME_VERSION=\"17.0.15+6-Debian-1deb12u1\"\nJAVA_VERSION=\"17.0.15\"\n", "java 17.0.15+6-Debian-1deb12u1 (Debian)"},
		"Temurin":        {"IMPLEMENTOR=\"Eclipse Adoptium\"\nJAVA_RUNTIME_VERSION=\"25.0.3+9-LTS\"\nJAVA_VERSION=\"25.0.3\"\nMODULES=\"java.base java.compiler\"\n", "java 25.0.3+9-LTS (Eclipse Adoptium)"},
		"8":              {"JAVA_VERSION=\"1.8.0_452\"\nOS_NAME=\"Linux\"\n", "java 1.8.0_452"},
		"without quotes": {"JAVA_VERSION=17\n", ""},
		"nothing":        {"", ""},
	} {
		if got := javaText([]byte(test.release)); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
