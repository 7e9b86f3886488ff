package program

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestExpand(t *testing.T) {
	values := map[string]string{"port": "8080", "db.port": "5432", "sink.otlp.grpc": "127.0.0.1:4317"}
	for text, want := range map[string]string{
		"":                            "",
		"plain":                       "plain",
		"127.0.0.1:{port}":            "127.0.0.1:8080",
		"{port}{db.port}":             "80805432",
		"{{port}}":                    "{port}",
		"{{{port}}}":                  "{{port}}",
		`{"a": {"b": [{}]}}`:          `{"a": {"b": [{}]}}`,
		`{"port":{port}}`:             `{"port":8080}`,
		"${HOME} ${port} {A} {1} { }": "${HOME} ${port} {A} {1} { }",
		"{a,b} {x y} {{.Name}}":       "{a,b} {x y} {{.Name}}",
		"{port":                       "{port",
	} {
		got, err := Expand(text, values)
		if err != nil || got != want {
			t.Errorf("Expand(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	_, err := Expand("http://{prt}/", values)
	want := `cannot fill in {prt} in "http://{prt}/": unknown placeholder "prt"; did you mean "port"? (write {{prt}} for the word in braces itself)`
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
}

// TestLiteral: whatever a value holds, it comes through Expand as it is.
func TestLiteral(t *testing.T) {
	for _, value := range []string{"", "x", "{port}", "{{port}}", "{{{port}}}", "${port}", "{port", `{"a":{port}}`, "{{port}"} {
		got, err := Expand(Literal(value), map[string]string{})
		if err != nil || got != value {
			t.Errorf("%q became %q by %q, %v", value, got, Literal(value), err)
		}
	}
}

// TestRelated: a word that is near no whole name, but part of one.
func TestRelated(t *testing.T) {
	known := []string{"otel-python", "otel-go", "elastic-go", "other-thing-go", "none"}
	for word, want := range map[string]string{
		"otell": "otel-go otel-python", "OTLE": "otel-go otel-python", "elastc": "elastic-go", "otel-agent-of-ours": "otel-go otel-python",
		"thing": "other-thing-go", "python": "otel-python", "go": "", "": "", "jaeger": "", "same": "",
	} {
		if got := strings.Join(related(word, known), " "); got != want {
			t.Errorf("related(%q) = %q, want %q", word, got, want)
		}
	}
	six := (&UnknownError{What: "tracer", Name: "x", Related: []string{"a", "b", "c", "d", "e", "f"}}).Error()
	if want := `unknown tracer "x"; did you mean "a", "b", "c", "d", "e", …?`; six != want {
		t.Errorf("%s\nwant %s", six, want)
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]float64{"400/s": 400, "24000/min": 400, "3600/h": 1, "0.5": 0.5, "1e3/s": 1000, " 5 / s ": 5} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("parseRate(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0/s", "-1/s", "400/d", "inf", "NaN/s", "1e300/s", "s"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("parseRate(%q) = %v", text, got)
		}
	}
	for text, want := range map[string]int64{"512MiB": 512 << 20, "512M": 512 << 20, "1GiB": 1 << 30, "500MB": 500e6, "1.5K": 1536, "7": 7, "7B": 7} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("parseSize(%q) = %v, %v", text, got, err)
		}
		if again, err := parseSize(formatSize(want)); err != nil || again != want {
			t.Errorf("%d is written %q and read %d, %v", want, formatSize(want), again, err)
		}
	}
	for text, want := range map[string]float64{"5%": 0.05, "0.05": 0.05, "100%": 1, "0": 0, "0.1%": 0.001, "33.3%": 0.333} {
		got, err := ParseShare(text)
		if err != nil || got != want {
			t.Errorf("parseShare(%q) = %v, %v", text, got, err)
		}
		if again, err := ParseShare(FormatShare(got)); err != nil || again != got {
			t.Errorf("%v is written %q and read %v, %v", got, FormatShare(got), again, err)
		}
	}
	for d, want := range map[time.Duration]string{0: "0s", time.Hour: "1h", 90 * time.Second: "1m30s", time.Minute: "1m", 1500 * time.Millisecond: "1.5s"} {
		got := FormatDuration(d)
		if again, err := parseDuration(got); got != want || err != nil || again != d {
			t.Errorf("%v is written %q (want %q) and read %v, %v", d, got, want, again, err)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		`shop --port {port}`:               {"shop", "--port", "{port}"},
		`java -jar 'shop x.jar' "a b" \ c`: {"java", "-jar", "shop x.jar", "a b", " c"},
		`echo $HOME ""`:                    {"echo", "$HOME", ""},
		`sh -c 'a | b; c'`:                 {"sh", "-c", "a | b; c"},
	} {
		got, err := splitWords(line)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", line, err, diff)
		}
	}
	for _, line := range []string{"a | b", "a; b", "a > f", "a &", "'open", `a \`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%s became %q", line, got)
		}
	}
}
