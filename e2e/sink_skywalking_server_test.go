// The real SkyWalking server (its OAP, with a database in memory) behind the sink: it says
// itself which segments and spans it has.

package e2e

import (
	"bytes"
	"encoding/json"
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
