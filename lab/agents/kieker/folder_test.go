package kieker

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

const logName = "kieker-20260101-000000-1-UTC--KIEKER-SINGLETON"

// folder writes the files of a log, and returns the folder around it.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, logName)
	if err := os.Mkdir(log, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(log, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const registryMap = `$0=kieker.common.record.misc.KiekerMetadataRecord
$1=2.0.2
$2=KIEKER-SINGLETON
$3=vm
$4=NANOSECONDS
$5=kieker.common.record.controlflow.OperationExecutionRecord
$6= public p.MonitoredClass.<init>()
$7=<no-session-id>
$8=public int p.MonitoredClass.monitoredMethod(int)
`

// records returns the records of the captured stream without its registry: what the
// file writer writes.
func records(t *testing.T) string {
	t.Helper()
	whole := string(captured(t))
	return whole[strings.Index(whole, "monitoredMethod(int)")+len("monitoredMethod(int)"):]
}

func TestCountFolder(t *testing.T) {
	first := recordHeader + layouts["kieker.common.record.misc.KiekerMetadataRecord"].size + 5*(recordHeader+executionSize)
	all := records(t)
	c, err := CountFolder(t.Context(), folder(t, map[string]string{"kieker.map": registryMap, "kieker-1-UTC-001.bin": all[:first], "kieker-1-UTC-002.bin": all[first:]}))
	if err != nil || c.Spans != 13 || c.Roots != 4 || c.Services["KIEKER-SINGLETON"] != 13 || c.Requests != 2 || c.Bytes != uint64(len(all)) {
		t.Errorf("counted %+v, %v", c, err)
	}
}

const textLog = `$0;1795315325029573653;2.0.2;KIEKER-SINGLETON;vm;1;false;0;NANOSECONDS;0
$1;1795315325035754870;public p.MonitoredClass.<init>();<no-session-id>;7856107337482764289;1795315325035537824;1795315325035674640;vm;0;0
$1;1795315325036049202;public int p.MonitoredClass.monitoredMethod(int);<no-session-id>;7856107337482764290;1795315325036042301;1795315325036045867;vm;1;1
$1;1795315325036057765;public int p.MonitoredClass.monitoredMethod(int);<no-session-id>;7856107337482764290;1795315325036038165;1795315325036056242;vm;0;0
`

const textMap = "$0=kieker.common.record.misc.KiekerMetadataRecord\n$1=kieker.common.record.controlflow.OperationExecutionRecord\n"

func TestCountFolderInText(t *testing.T) {
	c, err := CountFolder(t.Context(), folder(t, map[string]string{"kieker.map": textMap, "kieker-1-UTC-001.dat": textLog}))
	if err != nil || c.Spans != 3 || c.Roots != 2 || c.Services["KIEKER-SINGLETON"] != 3 || c.Bytes != uint64(len(textLog)) {
		t.Errorf("counted %+v, %v", c, err)
	}
}

// What cannot be counted for sure is an error, with what was counted before.
func TestCountFolderRefuses(t *testing.T) {
	all := records(t)
	tests := []struct {
		name  string
		files map[string]string
		want  string
		spans uint64
	}{
		{"cut off", map[string]string{"kieker.map": registryMap, "a.bin": all[:len(all)-1]}, errCut.Error(), 12},
		{"first file deleted", map[string]string{"kieker.map": registryMap, "kieker-1-UTC-002.bin": all}, "1 of its 2 files", 13},
		{"compressed", map[string]string{"kieker.map": registryMap, "a.bin.gz": "x"}, "NoneCompressionFilter", 0},
		{"no map", map[string]string{"a.bin": all}, "reading the registry", 0},
		{"bad map", map[string]string{"kieker.map": "$0=a\nx=b\n", "a.bin": all}, "kieker.map:2", 0},
		{"text cut off", map[string]string{"kieker.map": textMap, "a.dat": textLog[:len(textLog)-1]}, errCut.Error(), 2},
		{"no text", map[string]string{"kieker.map": textMap, "a.dat": "hello\n"}, errLine.Error(), 0},
		{"short line", map[string]string{"kieker.map": textMap, "a.dat": "$1;1;2\n"}, errLine.Error(), 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := CountFolder(t.Context(), folder(t, test.files))
			if err == nil || !strings.Contains(err.Error(), test.want) || c.Spans != test.spans {
				t.Errorf("counted %d, %v; want %d, %q", c.Spans, err, test.spans, test.want)
			}
		})
	}
	if _, err := CountFolder(t.Context(), filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a folder that is not there is counted")
	}
	if c, err := CountFolder(t.Context(), t.TempDir()); err != nil || c.Spans != 0 || c.Requests != 0 {
		t.Errorf("an empty folder: %+v, %v", record.Counts{}, err)
	}
}

func FuzzMap(f *testing.F) {
	f.Add([]byte(textMap), int32(1))
	f.Add([]byte("$0=a\r\n\n$2147483647=b\n$-1=c"), int32(0))
	f.Fuzz(func(t *testing.T, text []byte, number int32) {
		r, err := parseMap("kieker.map", text)
		if err != nil {
			return
		}
		if e, known := r.entries[number]; known && !bytes.Contains(text, e.text) {
			t.Errorf("$%d is %q, which is not there", number, e.text)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte(textLog))
	dir := folder(f, map[string]string{"kieker.map": textMap})
	entries, err := readMap(filepath.Join(dir, logName, "kieker.map"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		total := tally.New(tally.Config{})
		_ = drainText(bytes.NewReader(log), &walker{registry: entries}, total)
		if c := total.Counts(); c.Spans > uint64(len(log)) {
			t.Errorf("%d spans in %d bytes", c.Spans, len(log))
		}
	})
}

// serve runs a receiver until the test ends, and returns where.
func serve(t *testing.T, r *Receiver) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func send(t *testing.T, address string, stream []byte) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := c.Write(stream); err != nil {
		t.Fatal(err)
	}
	return c
}

// await waits until the condition holds.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// Spans are counted while the connection is open, and of several connections together.
func TestReceiver(t *testing.T) {
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1000})
	r := New(total, Limits{Body: 1 << 20})
	address := serve(t, r)
	send(t, address, captured(t))
	await(t, "13 spans", func() bool { return total.Counts().Spans == 13 })
	await(t, "nothing under way", func() bool { return total.InFlight() == 0 })
	checkCaptured(t, total.Counts())
	second := send(t, address, captured(t)[:900])
	await(t, "another 9", func() bool { return total.Counts().Spans == 13+9 })
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	await(t, "the cut one", func() bool { return total.Counts().Malformed == 1 })
	if c := total.Counts(); c.Requests != 2 || c.Protocols[protocol] != 2 || c.Duplicate != 9 {
		t.Errorf("counted %+v", c)
	}
	await(t, "the reason", func() bool { return r.Fault() != nil })
	if err := r.Fault(); !strings.Contains(err.Error(), errCut.Error()) {
		t.Errorf("the reason is %v", err)
	}
}

// A connection whose registry is beyond the limit is ended; its memory is free again.
func TestRegistryLimit(t *testing.T) {
	total := tally.New(tally.Config{})
	r := New(total, Limits{Body: 4096})
	address := serve(t, r)
	c := send(t, address, entered(1, strings.Repeat("x", 5000)))
	await(t, "the refusal", func() bool { return total.Counts().Malformed == 1 })
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection goes on")
	}
	await(t, "memory", func() bool { return r.held.Load() == 0 })
	send(t, address, captured(t))
	await(t, "13 spans", func() bool { return total.Counts().Spans == 13 })
}

// The end of a context ends the counting, and is told from the end of a file.
func TestCountFolderIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	for _, files := range []map[string]string{{"kieker.map": textMap, "kieker-1-UTC-001.dat": textLog}, {"kieker.map": textMap, "kieker-1-UTC-001.bin": "x"}} {
		if c, err := CountFolder(ctx, folder(t, files)); !errors.Is(err, enough) || c.Spans > 0 {
			t.Errorf("%d spans, error %v", c.Spans, err)
		}
	}
}
