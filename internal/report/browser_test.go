// A real browser for the tests of the page: Chromium, headless, with an empty
// profile. Without one on the machine the tests are skipped; they fail instead
// where TRACETAX_REQUIRE_BROWSER=1 says that there has to be one.

package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/tracetax/tracetax/internal/finding"
)

// patience is the most that one page may take, on a busy machine.
const patience = 60 * time.Second

// chromium is the browser of all tests, which open their pages in tabs of their own: it takes longer to start than most of them.
var chromium struct {
	once sync.Once
	tab  context.Context // the first one
	stop []func()
	err  error
}

func TestMain(m *testing.M) {
	status := m.Run()
	for _, stop := range slices.Backward(chromium.stop) {
		stop()
	}
	os.Exit(status)
}

// startBrowser starts the browser where it is not there yet, and returns its first tab. The test runs beside others that look
// at pages.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	t.Parallel()
	return theBrowser(t)
}

// theBrowser is the first tab of the browser.
func theBrowser(t testing.TB) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		const reason = "no Chromium on PATH: the page is not tested in a browser (Debian: apt-get install chromium)"
		if os.Getenv("TRACETAX_REQUIRE_BROWSER") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	chromium.once.Do(func() {
		home, err := os.MkdirTemp("", "tracetax-chromium-")
		if err != nil {
			chromium.err = err
			return
		}
		ctx, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(home),
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true),
		)...)
		tab, stopTab := chromedp.NewContext(ctx)
		chromium.stop = []func(){func() { _ = os.RemoveAll(home) }, stop, stopTab} // of what the browser leaves nothing is asked
		chromium.tab, chromium.err = tab, chromedp.Do(tab)
	})
	if chromium.err != nil {
		t.Fatalf("starting %s: %v", path, chromium.err)
	}
	return chromium.tab
}

// screen is what a page is looked at with.
type screen struct {
	width  int64
	scheme string // "light" or "dark"
}

// tab is an open page and what it has said so far.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	said     []string // console messages, exceptions, complaints of the browser
	requests []string
	dialogs  []string
}

// open shows doc's page in a tab of its own.
func open(t testing.TB, browser context.Context, doc *finding.Document, s screen, stacks ...Stacks) *tab {
	t.Helper()
	var text bytes.Buffer
	if err := HTMLWith(&text, doc, stacks); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return show(t, browser, path, s)
}

// show opens a file in a tab of its own.
func show(t testing.TB, browser context.Context, path string, s screen) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(browser)
	t.Cleanup(stop)
	ctx, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	p.must(chromedp.Listen(ctx, p.hear))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	p.must(err)
	p.emulate(s)
	p.must(chromedp.Do(ctx, chromedp.Navigate("file://"+path)))
	return p
}

// emulate makes the tab look like a screen.
func (p *tab) emulate(s screen) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: 900, DeviceScaleFactor: 1, Mobile: s.width < 500,
	})
	p.must(err)
	_, err = chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.scheme}},
	})
	p.must(err)
}

// on changes the screen under an open page and waits until the charts are as
// wide as their places and in the colours of the scheme.
func (p *tab) on(s screen) {
	p.t.Helper()
	p.emulate(s)
	_, err := chromedp.Run(p.ctx, chromedp.Poll[bool](fmt.Sprintf(`innerWidth === %d
		&& [...document.querySelectorAll('.chart')].every(c => c.clientWidth === 0 || Math.abs(c.querySelector('svg').clientWidth - c.clientWidth) < 1)
		&& document.getElementById('theme').textContent === '%s'`, s.width, map[string]string{"light": "Dark", "dark": "Light"}[s.scheme])))
	if err != nil {
		p.t.Fatalf("waiting for the page to fit a %s screen of %d pixels: %v", s.scheme, s.width, err)
	}
}

// hear keeps what the tab's page says and asks for.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			p.said = append(p.said, "console: "+string(a.Value)+a.Description)
		}
	case *runtime.EventExceptionThrown:
		said := "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			said += " " + e.ExceptionDetails.Exception.Description
		}
		p.said = append(p.said, said)
	case *cdplog.EventEntryAdded:
		p.said = append(p.said, "browser: "+e.Entry.Text)
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *cdppage.EventJavascriptDialogOpening:
		p.dialogs = append(p.dialogs, e.Message)
	}
}

func (p *tab) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// eval returns the value of a JavaScript expression in the page, with spaces for those at which no line may end.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	text, err := json.Marshal(v)
	p.must(err)
	var plain T
	p.must(json.Unmarshal(bytes.ReplaceAll(text, []byte("\u00a0"), []byte(" ")), &plain))
	return plain
}

// checkQuiet fails if the page complained, opened a dialog or asked for more
// than itself.
func (p *tab) checkQuiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.said {
		p.t.Error(s)
	}
	for _, d := range p.dialogs {
		p.t.Errorf("a dialog opened: %q", d)
	}
	var others []string
	for _, r := range p.requests {
		if r != "data:," { // the empty icon, which is no request
			others = append(others, r)
		}
	}
	if len(others) != 1 {
		p.t.Errorf("the page made %d requests, want 1, for itself: %q", len(others), others)
	}
}

// click clicks at a place of the screen.
func (p *tab) click(x, y float64) {
	p.t.Helper()
	p.must(chromedp.Do(p.ctx, chromedp.MouseClickXY(x, y)))
}
