// What a program does beside its answers: before it is calm, late, and all the time.

package run_test

import (
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run"
)

const (
	startsFor = 1500 * time.Millisecond // of CPU, used from when the service is ready by each of some threads
	starters  = 4                       // that many: on a busy machine one gets little
	lateAfter = 500 * time.Millisecond  // its last answer
	lateWork  = 200 * time.Millisecond  // of CPU
)

// holdsBack is for how long the service holds spans back at most.
func holdsBack() time.Duration {
	if text := os.Getenv("DELAY"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			panic(err)
		}
		return d
	}
	return 50 * time.Millisecond
}

// working has the service do what the test says in its environment.
func working(next http.Handler) http.Handler {
	if os.Getenv("STARTS") != "" {
		for range starters {
			go burn(micros(startsFor))
		}
	}
	if share, err := strconv.ParseFloat(os.Getenv("BACKGROUND"), 64); err == nil {
		go background(share)
	}
	if os.Getenv("LATE") == "" {
		return next
	}
	var mu sync.Mutex
	late := time.AfterFunc(time.Hour, func() { burn(micros(lateWork)) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		mu.Lock()
		defer mu.Unlock()
		late.Reset(lateAfter)
	})
}

// background uses a share of a CPU for good.
func background(share float64) {
	const period = 50 * time.Millisecond
	for range time.Tick(period) {
		burn(micros(time.Duration(share * float64(period))))
	}
}

func micros(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) }

// byApp is what the service used, of a list of usages.
func byApp(t *testing.T, all []record.Usage) record.Usage {
	t.Helper()
	at := slices.IndexFunc(all, func(u record.Usage) bool { return u.Role == role.App })
	if at < 0 {
		t.Fatalf("nothing is told of the app: %+v", all)
	}
	return all[at]
}

func rateOf(u record.Usage) float64 { return u.CPUSeconds / u.Seconds }

// What a program does to start, ready or not, is no part of what it uses idle, nor of its operations.
func TestStartIsNotIdle(t *testing.T) {
	defer run.SetCalmPatience(time.Minute, time.Minute, 5*time.Second)() // on a busy machine the start takes long
	conductor, q := request(t, record.Measured, "/burn/2000")
	q.Plan.Processes[0].Env = map[string]string{"STARTS": "yes"}
	q.Phases[0].Load.Rate, q.Load.Idle = 100, 300*time.Millisecond
	r := made(t, conductor, q)
	if rate := rateOf(byApp(t, r.Start.Idle)); rate > 0.05 || r.Start.IdleSteady == nil || !*r.Start.IdleSteady {
		t.Errorf("%.3f of a CPU is said to be used idle (steady: %v), want none", rate, r.Start.IdleSteady)
	}
	if rate := rateOf(byApp(t, r.Stop.Idle)); rate > 0.05 {
		t.Errorf("%.3f of a CPU is said to be used idle after the last phase, want none", rate)
	}
	p := r.Phases[0]
	burnt, used := 2e-3*float64(p.Load.Started), byApp(t, p.Usage).CPUSeconds
	if used < burnt || used > burnt+0.1 {
		t.Errorf("%.3f s are charged to operations that burn %.3f s", used, burnt)
	}
	if p.Calm == nil || !*p.Calm {
		t.Error("it is said to have been busier than when it was idle in the end")
	}
}

// Where a program does not get calm in time, what it uses idle is not known, and nobody says that it is.
func TestStartThatDoesNotEnd(t *testing.T) {
	defer run.SetCalmPatience(500*time.Millisecond, time.Minute, time.Second)()
	conductor, q := request(t, record.Measured, "/work")
	q.Plan.Processes[0].Env = map[string]string{"STARTS": "yes"}
	q.Load.Idle = 600 * time.Millisecond // others may have its CPU for a while, and it does nothing then
	if r := made(t, conductor, q); r.Start.IdleSteady == nil || *r.Start.IdleSteady {
		t.Errorf("a program that still starts is said to be idle: %+v", r.Start.Idle)
	}
}

// A program that always does something is calm when it does no more than that.
func TestBusyBackground(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	q.Plan.Processes[0].Env = map[string]string{"BACKGROUND": "0.05"}
	q.Load.Idle = 500 * time.Millisecond
	r := made(t, conductor, q)
	for _, idle := range [][]record.Usage{r.Start.Idle, r.Stop.Idle} {
		if rate := rateOf(byApp(t, idle)); rate < 0.03 || rate > 0.1 {
			t.Errorf("%.3f of a CPU is said to be used idle, want 0.05", rate)
		}
	}
	if p := r.Phases[0]; !*r.Start.IdleSteady || p.Calm == nil || !*p.Calm {
		t.Errorf("steady %v, calm %v: want both", *r.Start.IdleSteady, p.Calm)
	}
}

// One that goes on working for good once it was asked is said never to have been calm.
func TestNeverCalm(t *testing.T) {
	defer run.SetCalmPatience(10*time.Second, 5*time.Second, time.Second)()
	conductor, q := request(t, record.Measured, "/unrest")
	q.First.URL = "/work"
	r := made(t, conductor, q)
	if p := r.Phases[0]; p.Calm == nil || *p.Calm {
		t.Errorf("it is said to be calm: %.3f of a CPU idle, %.3f after the last phase", rateOf(byApp(t, r.Start.Idle)), rateOf(byApp(t, r.Stop.Idle)))
	}
}

// Work after the answers is charged alike to a variant that sends spans later than that and to one that sends none.
func TestLateWorkIsChargedAlike(t *testing.T) {
	t.Parallel()
	used := map[string]float64{}
	const delay = time.Second
	for _, variant := range []string{"none", "otel"} {
		conductor, q := request(t, record.Measured, "/work")
		app := &q.Plan.Processes[0]
		app.Env = map[string]string{"LATE": "yes", "DELAY": delay.String()}
		q.Name, q.Plan.Variant, q.Plan.Delay = "001-"+variant+"-late", variant, delay
		q.Spans = map[string]program.Number{"work": {Low: 2, High: 2}}
		q.Drain = run.Drain(q.Plan, nil)
		if variant == "none" {
			app.Run[len(app.Run)-1] = ""
		}
		q.Phases[0].Load.Rate, q.Phases[0].Load.Duration = 100, 300*time.Millisecond
		used[variant] = byApp(t, made(t, conductor, q).Phases[0].Usage).CPUSeconds
	}
	t.Logf("%.3f and %.3f s are charged", used["none"], used["otel"])
	for variant, s := range used {
		if s < lateWork.Seconds() || s > lateWork.Seconds()+0.1 {
			t.Errorf("%s: %.3f s are charged, and %.3f s are used after the answers", variant, s, lateWork.Seconds())
		}
	}
}
