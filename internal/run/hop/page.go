package hop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

// Bounds of a page of counters.
const (
	pagePatience = 2 * time.Second
	pageLimit    = 16 << 20 // bytes
)

// Page reads the counts of a program from a page of counters, in Prometheus' text format.
type Page struct {
	Hop  string
	URL  string
	Says []program.Saying

	seen bool
}

// Name implements Counter.
func (p *Page) Name() string { return p.Hop }

// Seen reports whether any of its counters was ever on the page.
func (p *Page) Seen() bool { return p.seen }

// Read implements Counter.
func (p *Page) Read(ctx context.Context) (record.Hop, error) {
	families, err := p.fetch(ctx)
	if err == nil {
		var out record.Hop
		if out, err = p.take(families); err == nil {
			return out, nil
		}
	}
	if ctx.Err() != nil {
		return record.Hop{}, context.Cause(ctx)
	}
	return record.Hop{Name: p.Hop, Source: record.ByMetrics, Unreported: err.Error()}, nil
}

func (p *Page) fetch(ctx context.Context) (map[string]*dto.MetricFamily, error) {
	ctx, cancel := context.WithTimeout(ctx, pagePatience)
	defer cancel()
	fail := func(err error) (map[string]*dto.MetricFamily, error) {
		return nil, fmt.Errorf("its page of counters cannot be read: %w", plain(err))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return fail(err)
	}
	request.Header.Set("Accept", "text/plain;version=0.0.4")
	answer, err := client.Do(request)
	if err != nil {
		return fail(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fail(fmt.Errorf("the answer is %s", answer.Status))
	}
	families, err := parse(io.LimitReader(answer.Body, pageLimit))
	if err != nil {
		return fail(err)
	}
	return families, nil
}

// plain returns an error without addresses: they differ from run to run.
func plain(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	var network *net.OpError
	if errors.As(err, &network) {
		err = network.Err
	}
	return err
}

// client keeps no connection open, and uses no proxy: the page is on this machine.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// parse parses a page. The parser may panic on a malformed page.
func parse(page io.Reader) (families map[string]*dto.MetricFamily, err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			families, err = nil, fmt.Errorf("it is no page of counters: %v", trouble)
		}
	}()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(page)
}

// take adds up the counters on the page.
func (p *Page) take(families map[string]*dto.MetricFamily) (record.Hop, error) {
	out := record.Hop{Name: p.Hop, Source: record.ByMetrics}
	figures, lacking := out.Figures(), map[string]bool{}
	for _, s := range p.Says {
		series, ok := program.ParseSeries(s.Metrics)
		if !ok {
			return out, fmt.Errorf("%q is not a counter", s.Metrics)
		}
		n, there, err := sum(families, series)
		if err != nil {
			return out, fmt.Errorf("counter %s: %w", s.Metrics, err)
		}
		p.seen = p.seen || there
		if s.One != "" && differ(families, series.Name, s.One) {
			lacking[s.What] = true
			continue
		}
		if there || s.Absent == program.AbsentNone {
			add(figures[s.What], n)
		} else {
			lacking[s.What] = true
		}
	}
	for what := range lacking { // several add up only if all are there
		*figures[what] = nil
	}
	return out, nil
}

// total ends the names of counters in OpenMetrics.
const total = "_total"

// sum adds up the values of the chosen series; there reports whether there is any. A counter may also be called NAME_total,
// depending on how the program writes its page.
func sum(families map[string]*dto.MetricFamily, s program.Series) (n uint64, there bool, err error) {
	for _, m := range familyOf(families, s.Name).GetMetric() {
		if !chosen(m, s.Labels) {
			continue
		}
		if h := m.GetHistogram(); h != nil && strings.HasSuffix(s.Name, countOf) {
			n, there = n+h.GetSampleCount(), true
			continue
		}
		value, err := valueOf(m)
		if err != nil {
			return 0, true, err
		}
		n, there = n+value, true
	}
	return n, there, nil
}

func familyOf(families map[string]*dto.MetricFamily, name string) *dto.MetricFamily {
	if family := families[name]; family != nil {
		return family
	}
	if family := families[name+total]; family != nil {
		return family
	}
	if family := families[strings.TrimSuffix(name, countOf)]; family.GetType() == dto.MetricType_HISTOGRAM && strings.HasSuffix(name, countOf) {
		return family
	}
	return nil
}

// countOf is the suffix of the series with a histogram's number of observations, which is read like a counter.
const countOf = "_count"

// differ reports whether the series of a counter differ in a label.
func differ(families map[string]*dto.MetricFamily, name, label string) bool {
	values := map[string]bool{}
	for _, m := range familyOf(families, name).GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetName() == label {
				values[l.GetValue()] = true
			}
		}
	}
	return len(values) > 1
}

func chosen(m *dto.Metric, labels map[string]string) bool {
	found := 0
	for _, l := range m.GetLabel() {
		want, asked := labels[l.GetName()]
		if asked && want != l.GetValue() {
			return false
		}
		if asked {
			found++
		}
	}
	return found == len(labels)
}

func valueOf(m *dto.Metric) (uint64, error) {
	var v float64
	switch {
	case m.GetCounter() != nil:
		v = m.GetCounter().GetValue()
	case m.GetUntyped() != nil:
		v = m.GetUntyped().GetValue()
	case m.GetGauge() != nil:
		v = m.GetGauge().GetValue()
	default:
		return 0, errors.New("it is no single number")
	}
	if math.IsNaN(v) || v < 0 || v > 1<<53 || v != math.Trunc(v) {
		return 0, fmt.Errorf("%v is no number of spans", v)
	}
	return uint64(v), nil
}

// Stored returns the number of spans in a backend's store, by its own counts: received less dropped. known is false if it does
// not report them.
func Stored(said record.Hop) (spans uint64, known bool) {
	if said.Received == nil {
		return 0, false
	}
	spans = *said.Received
	if said.Dropped != nil {
		spans -= min(spans, *said.Dropped)
	}
	return spans, true
}

// Bounds of a backend's answer.
const (
	answerPatience = time.Minute
	answerLimit    = 4 << 30 // bytes; not kept
)

// Answered counts the spans in a backend's answer from a URL.
func Answered(ctx context.Context, url string, as program.Answers) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	fail := func(err error) (uint64, error) {
		return 0, fmt.Errorf("its answer to the question for all spans cannot be read: %w", plain(err))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fail(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return fail(err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == as.None:
		return 0, nil
	case answer.StatusCode != http.StatusOK:
		return fail(fmt.Errorf("it is %s", answer.Status))
	}
	n, err := countJSON(json.NewDecoder(io.LimitReader(answer.Body, answerLimit)), as.Each)
	if err != nil {
		return fail(err)
	}
	return n, nil
}

// countJSON counts the values that a path leads to in the next value.
func countJSON(d *json.Decoder, way []string) (uint64, error) {
	if len(way) == 0 {
		var passed json.RawMessage
		return 1, d.Decode(&passed)
	}
	open, err := d.Token()
	if err != nil {
		return 0, ended(err)
	}
	if _, nested := open.(json.Delim); !nested {
		return 0, nil
	}
	var n uint64
	for d.More() {
		here := way[0] == "*"
		if open == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return n, ended(err)
			}
			here = here || key == way[0]
		}
		if !here {
			var passed json.RawMessage
			if err := d.Decode(&passed); err != nil {
				return n, ended(err)
			}
			continue
		}
		more, err := countJSON(d, way[1:])
		if n += more; err != nil {
			return n, ended(err)
		}
	}
	_, err = d.Token()
	return n, ended(err)
}

// ended turns an early end of the answer into an error.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
