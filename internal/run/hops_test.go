// Spans that pass through a hop on their way to the sink.

package run_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run"
)

// relay is a hop: it holds each export back for a while, leaves out its first spans as it is told, and passes the rest on.
type relay struct {
	collectortrace.UnimplementedTraceServiceServer
	next    collectortrace.TraceServiceClient
	delay   time.Duration
	sampled int           // spans of each export that it leaves out
	loses   int           // that it says nothing of
	counts  time.Duration // it counts what it took in and sent so much later
	tells   bool          // it writes when it is asked what it counted

	mu             sync.Mutex
	received, left int
	sent           int
	late           sync.WaitGroup
}

func (r *relay) Export(_ context.Context, q *collectortrace.ExportTraceServiceRequest) (*collectortrace.ExportTraceServiceResponse, error) {
	r.late.Add(1)
	kept := &collectortrace.ExportTraceServiceRequest{}
	r.mu.Lock()
	leave, lose, passed, took := r.sampled, r.loses, 0, 0
	for _, resource := range q.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			var spans []*tracev1.Span
			for _, span := range scope.Spans {
				took++
				switch {
				case leave > 0:
					leave--
					r.left++
				case lose > 0:
					lose--
				default:
					spans = append(spans, span)
				}
			}
			scope.Spans = spans
			passed += len(spans)
		}
		kept.ResourceSpans = append(kept.ResourceSpans, resource)
	}
	r.mu.Unlock()
	r.count(&r.received, took)
	time.AfterFunc(r.delay, func() {
		defer r.late.Done()
		if _, err := r.next.Export(context.Background(), kept); err != nil {
			fmt.Println(err)
			return
		}
		r.count(&r.sent, passed)
	})
	return &collectortrace.ExportTraceServiceResponse{}, nil
}

// count adds to a counter, now or later.
func (r *relay) count(to *int, n int) {
	add := func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		*to += n
	}
	if r.counts == 0 {
		add()
		return
	}
	time.AfterFunc(r.counts, add)
}

// ServeHTTP is its page of counters.
func (r *relay) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tells {
		fmt.Println("was asked")
	}
	fmt.Fprintf(w, "hop_received{port=\"grpc\"} %d\nhop_left %d\nhop_sent_total %d\n", r.received, r.left, r.sent)
}

// relayed is the program: where it receives, where its page is, and where it passes spans on to.
func relayed(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	next, err := grpc.NewClient(args[2], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(os.Getenv(name)) // none
		return n
	}
	r := &relay{next: collectortrace.NewTraceServiceClient(next), delay: time.Duration(number("HOLDS")) * time.Millisecond, sampled: number("LEAVES"), loses: number("LOSES"),
		counts: time.Duration(number("COUNTS")) * time.Millisecond, tells: os.Getenv("TELLS") != ""}
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		return err
	}
	if os.Getenv("DARK") == "" {
		go func() { fmt.Println(http.ListenAndServe(args[1], r)) }()
	}
	server := grpc.NewServer()
	collectortrace.RegisterTraceServiceServer(server, r)
	go func() {
		<-ctx.Done()
		server.GracefulStop()
	}()
	if err := server.Serve(l); err != nil {
		return err
	}
	r.late.Wait()
	fmt.Println("config says", os.Getenv("CONFIG"))
	return nil
}

// relayService is the service that the program is.
func relayService(delay time.Duration) *program.Service {
	return &program.Service{
		Name: "relay", Delay: delay, Receives: map[protocol.Name]string{protocol.OTLPGRPC: "127.0.0.1:{port}"},
		Config: "the-service's-own", Metrics: "http://127.0.0.1:{port.page}/metrics",
		Says: []program.Saying{
			{What: program.SaysReceived, Metrics: "hop_received"}, {What: program.SaysSampled, Metrics: "hop_left"}, {What: program.SaysSent, Metrics: "hop_sent"},
		},
	}
}

// via puts hops before the sink of a request.
func via(q *run.Request, env map[string]string, delay time.Duration, names ...string) {
	for _, name := range names {
		hop := program.Process{
			Name: name, Role: role.Collector, Patience: 20 * time.Second, Service: relayService(delay),
			Run: []string{self, "relay", "127.0.0.1:{port}", "127.0.0.1:{port.page}", "{sink.otlp.grpc}"}, Env: map[string]string{"CONFIG": "{config}"},
		}
		for key, value := range env {
			hop.Env[key] = value
		}
		q.Plan.Processes = append([]program.Process{hop}, q.Plan.Processes...)
		q.Plan.Via = append(q.Plan.Via, name)
		q.Plan.Passing += delay
	}
}

func figures(h record.Hop) string {
	var out []string
	for _, n := range []*uint64{h.Received, h.Sampled, h.Sent} {
		if n == nil {
			out = append(out, "-")
		} else {
			out = append(out, strconv.FormatUint(*n, 10))
		}
	}
	return strings.Join(out, " ")
}

// A hop of one run of a block counts that run's spans alone. Between windows it is not asked: each look at its page costs
// it CPU, which would be charged.
func TestHopsInWindows(t *testing.T) {
	t.Parallel()
	asked := func(conductor *run.Conductor, q run.Request) int {
		text, err := os.ReadFile(filepath.Join(conductor.Logs, q.Name, "edge.log"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "was asked")
	}
	conductor, alone := request(t, record.Measured, "/work")
	via(&alone, map[string]string{"TELLS": "yes"}, 0, "edge")
	made(t, conductor, alone)
	want := asked(conductor, alone)

	conductor, a, b := pair(t, "/work", "/work")
	via(&b, map[string]string{"TELLS": "yes"}, 0, "edge")
	records, err := conductor.Block(t.Context(), []run.Request{a, b})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		if r.Failed() {
			t.Fatalf("%s failed at %s: %s %q", r.Variant, r.Failure.Stage, r.Failure.Message, r.Failure.Log)
		}
		p := r.Phases[0]
		if all := p.WarmupSink.Spans + p.Sink.Spans; p.Sink.Spans != 200 || len(p.Hops) != i || i == 1 && figures(p.Hops[0]) != fmt.Sprintf("%d 0 %d", all, all) {
			t.Errorf("%s: %d spans, hops %+v", r.Variant, all, p.Hops)
		}
	}
	if got := asked(conductor, b); want == 0 || got != want {
		t.Errorf("the hop was asked %d times, of a run by itself %d times", got, want)
	}
}

// A drain waits for what two hops hold back one after the other, so every phase has its own spans and what the hops
// say of them.
func TestSpansPassHops(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	const delay = 300 * time.Millisecond
	via(&q, map[string]string{"HOLDS": "300"}, delay, "edge", "tail")
	q.Load.WarmupAll = 200 * time.Millisecond
	r := made(t, conductor, q)
	phase := r.Phases[0]
	if warm := 2 * phase.Warmup.Started; r.Start.Sink.Spans != 2 || phase.Sink.Spans != 200 || phase.WarmupSink.Spans != warm || r.Stop.Sink.Spans != 0 || !phase.Quiet {
		t.Errorf("spans: %d at the start, %d and %d in the phase, %d at the stop, quiet %t; want 2, %d, 200, 0", r.Start.Sink.Spans, phase.WarmupSink.Spans, phase.Sink.Spans, r.Stop.Sink.Spans, phase.Quiet, warm)
	}
	for i, name := range []string{"edge", "tail"} {
		all := phase.WarmupSink.Spans + phase.Sink.Spans
		for what, one := range map[string]struct {
			hops []record.Hop
			want uint64
		}{"the start": {r.Start.Hops, 2}, "the phase": {phase.Hops, all}, "the stop": {r.Stop.Hops, 0}, "the run": {r.Hops, all + 2}} {
			if len(one.hops) != 2 || one.hops[i].Name != name || figures(one.hops[i]) != fmt.Sprintf("%d 0 %d", one.want, one.want) {
				t.Errorf("of %s hop %d says %+v, want %d of %s", what, i, one.hops, one.want, name)
			}
		}
	}
	cpu := map[role.Role]float64{}
	for _, u := range phase.Usage {
		cpu[u.Role] += u.CPUSeconds
	}
	if cpu[role.Collector] <= 0 {
		t.Error("nothing was charged to the hops")
	}
}

// A hop that counts spans only after the sink has them is asked again: its page is of the stretch that the spans are of.
func TestHopThatCountsLate(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	via(&q, map[string]string{"COUNTS": "200"}, 0, "relay")
	q.Spans = map[string]program.Number{"work": {Low: 2, High: 2}} // the drain ends as soon as all have come
	phase := made(t, conductor, q).Phases[0]
	all := phase.WarmupSink.Spans + phase.Sink.Spans
	if want := fmt.Sprintf("%d 0 %d", all, all); all <= 200 || figures(phase.Hops[0]) != want {
		t.Errorf("of %d spans the hop says %s, want %s", all, figures(phase.Hops[0]), want)
	}
}

// A hop that holds spans back for longer than it is said to is asked for them.
func TestHopThatHoldsSpansForLonger(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	via(&q, map[string]string{"HOLDS": "700"}, 0, "relay")
	r := made(t, conductor, q)
	if r.Phases[0].Sink.Spans != 200 || r.Stop.Sink.Spans != 0 || !r.Phases[0].Quiet {
		t.Errorf("%d spans of the window came in it, and %d at the stop; want all 200 and none", r.Phases[0].Sink.Spans, r.Stop.Sink.Spans)
	}
}

// What a hop leaves out it says, and what it keeps for itself ends no drain late for ever.
func TestHopThatLeavesOutAndLoses(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	via(&q, map[string]string{"LEAVES": "2", "LOSES": "1"}, 0, "relay")
	r := made(t, conductor, q)
	h := r.Phases[0].Hops[0]
	made := r.Phases[0].Warmup.Started + r.Phases[0].Load.Started
	if h.Received == nil || *h.Received != 2*made || *h.Sampled == 0 || *h.Sent != r.Phases[0].WarmupSink.Spans+r.Phases[0].Sink.Spans {
		t.Errorf("%s; %d operations were made, and %d spans came", figures(h), made, r.Phases[0].WarmupSink.Spans+r.Phases[0].Sink.Spans)
	}
	if waiting, known := h.Waiting(); !known || waiting <= 0 || waiting > 1+int64(*h.Received)/2 {
		t.Errorf("it keeps %d spans, known %t", waiting, known)
	}
	if !r.Phases[0].Quiet {
		t.Error("it is said never to have been quiet")
	}
}

// A page that cannot be read makes a hop unreported, and not one that had no span.
func TestHopWithoutAPage(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	via(&q, map[string]string{"DARK": "yes"}, 0, "relay")
	r := made(t, conductor, q)
	for _, hops := range [][]record.Hop{r.Start.Hops, r.Phases[0].Hops, r.Stop.Hops, r.Hops} {
		if len(hops) != 1 || hops[0].Reports() || !strings.Contains(hops[0].Unreported, "its page of counters cannot be read") {
			t.Errorf("a hop without a page says %+v", hops)
		}
	}
	if r.Phases[0].Sink.Spans != 200 {
		t.Errorf("%d spans came", r.Phases[0].Sink.Spans)
	}
}

// A page that can be read and has none of the counters tells nothing either.
func TestHopWithAPageOfSomethingElse(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	via(&q, nil, 0, "relay")
	for i := range q.Plan.Processes[0].Service.Says {
		s := &q.Plan.Processes[0].Service.Says[i]
		s.Metrics, s.Absent = "other_"+s.What, program.AbsentNone
	}
	r := made(t, conductor, q)
	for _, hops := range [][]record.Hop{r.Start.Hops, r.Phases[0].Hops, r.Hops} {
		if hops[0].Reports() || !strings.Contains(hops[0].Unreported, "none of the counters") {
			t.Errorf("it says %s, unreported because %q", figures(hops[0]), hops[0].Unreported)
		}
	}
}

// A hop that dies in the middle of a run is what the run failed of.
func TestHopThatIsKilled(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	via(&q, nil, 0, "edge", "tail")
	q.Plan.Processes[1].Run = append([]string{"sh", "-c", `"$@" & sleep 3; echo "that is it"; kill -9 $!; kill -9 $$`, "killed"}, q.Plan.Processes[1].Run...) // edge: the last hop stands first
	q.Phases[0].Load.Duration = 30 * time.Second
	r, err := conductor.Run(t.Context(), q)
	if err != nil || !r.Failed() {
		t.Fatalf("%v, %+v", err, r.Failure)
	}
	if r.Failure.Process != "edge" || !strings.Contains(r.Failure.Message, "SIGKILL") || !strings.Contains(strings.Join(r.Failure.Log, "\n"), "that is it") {
		t.Errorf("of a hop that was killed: %+v", r.Failure)
	}
}

// A configuration of the user's own takes the place of the service's.
func TestConfigurationOfAHop(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]string{"config says the-service's-own": "", "config says /": "receivers: mine\n"} {
		conductor, q := request(t, record.Measured, "/work")
		q.Name += strconv.Itoa(len(config))
		via(&q, nil, 0, "relay")
		q.Plan.Processes[0].Config = config
		made(t, conductor, q)
		log, err := os.ReadFile(conductor.Logs + "/" + q.Name + "/relay.log")
		if err != nil || !strings.Contains(string(log), want) {
			t.Errorf("%v; it says %q, want %q", err, log, want)
		}
	}
}
