// Real servers behind the sink that come as a heap of files from Maven's registry.

package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serverJars is a folder with the files of the server whose pom.xml stands in a folder of
// testdata. All of them must be those that are pinned beside it.
func serverJars(t *testing.T, name string) string {
	t.Helper()
	pinned, err := os.ReadFile(testdata(t, name, "jars.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	execute(t, dir, "mvn", "-q", "-B", "-f", testdata(t, name, "pom.xml"), "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies", "-DoutputDirectory="+dir)
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		t.Fatal(err)
	}
	var came strings.Builder
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&came, "%x  %s\n", sha256.Sum256(content), e.Name())
	}
	if came.String() != string(pinned) {
		t.Fatalf("the server's files are not those of jars.sha256 (scripts/locks makes it):\n%s", came.String())
	}
	return dir
}

// startServer starts a server, which runs until the test ends, and says when it has ended by
// itself.
func startServer(t *testing.T, what string, c *exec.Cmd) (ended <-chan error) {
	t.Helper()
	var log strings.Builder
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() { waited <- c.Wait(); close(waited) }()
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		for range waited {
		}
		if t.Failed() {
			t.Logf("%s wrote:\n%s", what, tail(log.String()))
		}
	})
	return waited
}

// The real Scouter server behind the sink. Its protocol answers nothing to an agent; it is
// asked as its clients ask it what it has stored.

// scouter is a running server.
type scouter struct {
	address string // for datagrams and for connections
	stored  []string
}

// scouterServer fetches the server, starts it and waits until it answers. Whoever asks it
// keeps its connection no longer than that takes.
func scouterServer(t *testing.T) scouter {
	t.Helper()
	jars := filepath.Join(serverJars(t, "scouter"), "*")
	classes, home := t.TempDir(), t.TempDir()
	execute(t, testdata(t, "scouter"), "javac", "-cp", jars, "-d", classes, "Stored.java")
	s := scouter{address: freeAddresses(t, 1)[0]}
	host, port := hostPort(t, s.address)
	s.stored = []string{"-Xint", "-cp", classes + ":" + jars, "Stored", host, port}
	config := filepath.Join(home, "scouter.conf")
	text := fmt.Sprintf("net_udp_listen_ip=%[1]s\nnet_tcp_listen_ip=%[1]s\nnet_udp_listen_port=%[2]s\nnet_tcp_listen_port=%[2]s\nreq_search_xlog_max_count=%[3]d\nmgr_purge_enabled=false\n", host, port, 10*agentCalls)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Dscouter.config="+config, "-cp", jars, "scouter.server.Main")
	c.Dir = home // where it makes its folders
	ended := startServer(t, "Scouter's server", c)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		_, _, err := s.has(t)
		if err == nil {
			return s
		}
		select {
		case ended := <-ended:
			t.Fatalf("Scouter's server ended: %v", ended)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("Scouter's server does not answer: %v", err)
		}
	}
}

// has asks the server how many XLogs it has, and how many calls of methods in their profiles.
func (s scouter) has(t *testing.T) (xlogs, calls int, err error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "java", s.stored...).Output()
	if ended := new(exec.ExitError); errors.As(err, &ended) {
		return 0, 0, fmt.Errorf("%w: %s", err, ended.Stderr)
	}
	if err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscan(string(out), &xlogs, &calls); err != nil {
		return 0, 0, fmt.Errorf("reading %q: %w", out, err)
	}
	return xlogs, calls, nil
}

// The real SkyWalking server (its OAP, with a database in memory) behind the sink: it says
// itself which segments and spans it has.

// oap is a running server.
type oap struct {
	grpc, http string // addresses
	since      time.Time
}

// oapServer fetches the server, all of whose files must be those that are pinned, starts it
// and waits until it answers queries.
func oapServer(t *testing.T) oap {
	t.Helper()
	const tables = 5 * time.Minute // how often it makes the next day's
	if now := time.Now().UTC(); now.Truncate(24*time.Hour).Add(24*time.Hour).Sub(now) < tables {
		t.Skip("shortly before midnight UTC: SkyWalking's server has tables for each day, and none for the next one until it has run for minutes")
	}
	jars := serverJars(t, "oap")
	addresses := freeAddresses(t, 2)
	grpc, web := addresses[0], addresses[1]
	_, grpcPort := hostPort(t, grpc)
	_, webPort := hostPort(t, web)
	c := exec.CommandContext(t.Context(), "java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1", "-Djava.net.preferIPv4Stack=true", "-Duser.timezone=UTC",
		"-cp", testdata(t, "oap", "config")+":"+filepath.Join(jars, "*"), "org.apache.skywalking.oap.server.starter.OAPServerStartUp")
	c.Dir, c.Env = t.TempDir(), append(os.Environ(), "OAP_GRPC_PORT="+grpcPort, "OAP_HTTP_PORT="+webPort)
	ended := startServer(t, "SkyWalking's server", c)
	o := oap{grpc, web, time.Now()}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		_, err := o.segments(t)
		if err == nil {
			return o
		}
		select {
		case ended := <-ended:
			t.Fatalf("SkyWalking's server ended: %v", ended)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("SkyWalking's server does not answer: %v", err)
		}
	}
}

// ask sends a query, and reads its data.
func (o oap) ask(query string, variables, into any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 20 * time.Second}
	response, err := client.Post("http://"+o.http+"/graphql", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	answer := struct {
		Data   any
		Errors []json.RawMessage
	}{Data: into}
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Errors) > 0 || response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d, %v: %.500s", response.StatusCode, err, text)
	}
	return nil
}

// segments are the traces of the segments that the server has, by segment. While it still stores
// some, pages may overlap: then one is missing, and comes when it is asked again.
func (o oap) segments(t *testing.T) (map[string]string, error) {
	t.Helper()
	const page, second = 500, "2006-01-02 150405"
	out := map[string]string{}
	for n := 1; ; n++ {
		var data struct {
			T struct {
				Traces []struct {
					SegmentID string
					TraceIDs  []string
				}
			}
		}
		err := o.ask("query($c: TraceQueryCondition) { t: queryBasicTraces(condition: $c) { traces { segmentId traceIds } } }", map[string]any{"c": map[string]any{
			"queryDuration": map[string]string{"start": o.since.UTC().Format(second), "end": time.Now().UTC().Add(time.Minute).Format(second), "step": "SECOND"},
			"traceState":    "ALL", "queryOrder": "BY_START_TIME", "paging": map[string]int{"pageNum": n, "pageSize": page},
		}}, &data)
		if err != nil {
			return nil, err
		}
		for _, s := range data.T.Traces {
			if len(s.TraceIDs) != 1 {
				t.Errorf("segment %s is of traces %q", s.SegmentID, s.TraceIDs)
				continue
			}
			out[s.SegmentID] = s.TraceIDs[0]
		}
		if len(data.T.Traces) < page {
			return out, nil
		}
	}
}

// spans is how many spans the server has of the traces of segments.
func (o oap) spans(t *testing.T, segments map[string]string) int {
	t.Helper()
	var query strings.Builder
	n, at := 0, 0
	flush := func() {
		var data map[string]struct {
			Spans []struct{ SpanID int }
		}
		if err := o.ask("{"+query.String()+"}", nil, &data); err != nil {
			t.Fatal(err)
		}
		for _, one := range data {
			n += len(one.Spans)
		}
		query.Reset()
	}
	traces := map[string]bool{}
	for _, trace := range segments {
		traces[trace] = true
	}
	for trace := range traces {
		fmt.Fprintf(&query, " t%d: queryTrace(traceId: %q) { spans { spanId } }", at, trace)
		if at++; at%10 == 0 {
			flush()
		}
	}
	if query.Len() > 0 {
		flush()
	}
	return n
}
