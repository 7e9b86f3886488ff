package inspect

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

func TestKindOf(t *testing.T) {
	for name, test := range map[string]struct {
		program, maps string
		want          Kind
	}{
		"a version":        {"python3.11", "", Python},
		"a free Python":    {"uwsgi", "7f00 r-xp 08:01 12 /usr/lib/libpython3.11.so.1.0", Python},
		"Java":             {"java", "", Java},
		"a JVM within":     {"launcher", "7f00 r-xp 08:01 12 /opt/jdk/lib/server/libjvm.so", Java},
		"Debian's Node":    {"nodejs", "", Node},
		".NET":             {"shop", "7f00 r-xp 08:01 12 /usr/lib/dotnet/libcoreclr.so", DotNet},
		"a shell":          {"dash", "", Shell},
		"machine code":     {"envoy", "7f00 r-xp 08:01 12 /usr/lib/libc.so.6", Native},
		"no Python at all": {"pythonista", "", Native},
	} {
		if got := kindOf(test.program, test.maps); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestWorker(t *testing.T) {
	for command, want := range map[string]bool{
		"/usr/bin/python3 -c from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5, pipe_handle=7) --multiprocessing-fork": true,
		"/usr/bin/python3 -c from multiprocessing.resource_tracker import main;main(4)":                                                    true,
		"/usr/bin/python3 -c from multiprocessing.forkserver import main; main(5, 6, ['__main__'])":                                        true,
		"python -m joblib.externals.loky.backend.popen_loky_posix --process-name LokyProcess-1":                                            true,
		"python3 -m uvicorn app:app --workers 2":                                                                                           false, "npm start": false, "python3 multiprocessing.py": false,
	} {
		if got := worker.MatchString(command); got != want {
			t.Errorf("%s: %t", command, got)
		}
	}
}
