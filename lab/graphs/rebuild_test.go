package graphs_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
	"github.com/tracetax/tracetax/lab/graphs/rebuild"
)

// captured is a capture of one call, and of what came of it.
func captured() []byte {
	c := packetstest.New(nil)
	front := c.Dial("10.0.0.1:4000", "10.0.0.7:80")
	front.Ask("GET /buy HTTP/1.1\r\nHost: shop\r\n\r\n")
	store := c.Dial("10.0.0.7:4001", "10.0.0.8:6379")
	store.Ask("*2\r\n$3\r\nGET\r\n$1\r\na\r\n")
	store.Answer("$-1\r\n")
	front.Answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	return c.Bytes()
}

// The command prints the counts, writes spans and calls, and says what is wrong with its arguments.
func TestRebuild(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string][]byte{
		"mine.pcap": captured(), "names.csv": []byte("10.0.0.7=front\n10.0.0.8=cache\n"),
		"wrong.csv": []byte("front\n"), "none.pcap": []byte("no capture at all, but text\n"),
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string, string) {
		var out, errOut bytes.Buffer
		status := cli.Main(append([]string{"graph", "rebuild"}, args...), nil, &out, &errOut)
		return status, out.String(), errOut.String()
	}
	status, out, errOut := run("mine.pcap", "--names", "names.csv", "--out", "traces.jsonl", "--csv", "calls.csv")
	want := "10 packets, no byte missing; 2 calls (http 1, redis 1), 0 without an end\n" +
		"parent known  by its id 0 · by time, as the only one possible 1 · likely 0 · not known 0\n" +
		"1 trace: 1 certain, 0 with a likely parent, 0 cut off\n"
	if status != console.Fine || !strings.HasPrefix(out, want) || errOut != "" {
		t.Errorf("status %d\n%s%s, want\n%s", status, out, errOut, want)
	}
	spans, err := os.ReadFile("traces.jsonl")
	if err != nil || strings.Count(string(spans), `"spanId"`) != 2 || !strings.Contains(string(spans), `"stringValue":"cache"`) {
		t.Errorf("spans %s, error %v", spans, err)
	}
	calls, err := os.ReadFile("calls.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(calls)).ReadAll()
	if err != nil || len(rows) != 3 || rows[0][0] != "source" || rows[2][1] != "10.0.0.8:6379" {
		t.Errorf("calls %v, error %v", rows, err)
	}
	if _, err := os.Stat("/dev/full"); err == nil { // a disk that is full
		if status, _, errOut := run("mine.pcap", "--out", "/dev/full"); status == console.Fine || !strings.Contains(errOut, "no space") {
			t.Errorf("written to a full disk: status %d, %s", status, errOut)
		}
	}
	status, out, _ = run("mine.pcap", "--json")
	var all []rebuild.Summary
	if err := json.Unmarshal([]byte(out), &all); status != console.Fine || err != nil || len(all) != 1 || all[0].Packets != 10 {
		t.Errorf("status %d, error %v\n%s", status, err, out)
	}
	for _, test := range []struct {
		args string
		want string
	}{
		{"none.pcap", "none.pcap: it is neither pcap nor pcapng"},
		{"mine.pcap --names wrong.csv", "wrong.csv:1: \"front\" is no name of an address"},
		{"no-such.pcap", "no-such.pcap"},
		{filepath.Base(dir), "no such file"},
		{".", "has no captures: run with --captures"},
		{". --names names.csv", "is a results folder"},
		{"mine.pcap --out a --csv a", "both name a"},
		{"mine.pcap --out mine.pcap", "mine.pcap is there already"},
		{"none.pcap --out fresh", "none.pcap: it is neither"},
		{"mine.pcap --topology no-such", "no-such"},
		{"", "requires at least 1 arg"},
	} {
		status, _, errOut := run(strings.Fields(test.args)...)
		if status != console.Usage || !strings.Contains(errOut, test.want) {
			t.Errorf("%s: status %d, %q, want %q", test.args, status, errOut, test.want)
		}
	}
	if text, err := os.ReadFile("mine.pcap"); err != nil || !bytes.Equal(text, captured()) {
		t.Errorf("the capture was written over, error %v", err)
	}
	if _, err := os.Stat("fresh"); err == nil {
		t.Error("what could not be rebuilt leaves a file behind")
	}
}
