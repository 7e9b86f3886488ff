package traces_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/lab/graphs/topology"
	"github.com/tracetax/tracetax/lab/graphs/traces"
)

// handmade writes traces of Zipkin's, a line each: ID PARENT SERVICE KIND NAME START LENGTH [KEY=VALUE…], times in µs.
func handmade(t testing.TB, traces ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	for i, text := range traces {
		for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
			words := strings.Fields(line)
			if len(words) < 7 {
				t.Fatalf("a span of %d words: %s", len(words), line)
			}
			number := func(text string) (n int64) {
				if _, err := fmt.Sscan(text, &n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			one := map[string]any{
				"traceId": fmt.Sprintf("%032x", i+1), "id": "00000000000000" + words[0], "name": strings.ReplaceAll(words[4], "+", " "),
				"timestamp": 1_790_000_000_000_000 + int64(i)*1_000_000 + number(words[5]), "duration": number(words[6]),
			}
			if words[1] != "-" {
				one["parentId"] = "00000000000000" + words[1]
			}
			if words[2] != "-" {
				one["localEndpoint"] = map[string]any{"serviceName": strings.ReplaceAll(words[2], "+", " ")}
			}
			if words[3] != "-" {
				one["kind"] = strings.ToUpper(words[3])
			}
			tags := map[string]string{}
			for _, tag := range words[7:] {
				key, value, _ := strings.Cut(tag, "=")
				if key == "at" {
					one["timestamp"] = number(value)
					continue
				}
				tags[key] = value
			}
			one["tags"] = tags
			text, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(append(text, '\n'))
		}
	}
	return out.Bytes()
}

// repeat is a text so often.
func repeat(text string, n int) []string { return slices.Repeat([]string{text}, n) }

const hit = `
01 - shop server GET+/item/{id} 0 100 http.method=GET http.route=/item/{id}
02 01 shop client get 10 20 db.system=redis peer.service=cache db.operation=GET`

const miss = hit + `
03 01 shop client find 40 20 db.system=mongodb peer.service=items db.operation=find
04 01 shop client set 70 20 db.system=redis peer.service=cache db.operation=SET`

// A cache that misses in three of ten is two shapes, and the mix is as the traces are.
func TestMissedCache(t *testing.T) {
	r, g := imported(t, handmade(t, append(repeat(hit, 70), repeat(miss, 30)...)...), traces.Options{})
	want := map[string]string{
		"shop.item-id":   "1 calls, 2 spans: shop.item-id{cache.get}",
		"shop.item-id-2": "3 calls, 4 spans: shop.item-id-2{cache.get; items.find; cache.set}",
	}
	got := operations(g)
	if len(got) != 2 || got["shop.item-id"] != want["shop.item-id"] || got["shop.item-id-2"] != want["shop.item-id-2"] {
		t.Errorf("operations %v, want %v", got, want)
	}
	if g.Mix["item-id"] != 70 || g.Mix["item-id-2"] != 30 || r.Operations[0].Shapes != 2 || r.Operations[0].Traces != 100 {
		t.Errorf("mix %v of %+v, want 70 and 30 of one operation", g.Mix, r.Operations)
	}
	one, _ := imported(t, handmade(t, append(repeat(hit, 70), repeat(miss, 30)...)...), traces.Options{Shapes: 1})
	if one.LeftOut.Traces["rare shapes"] != 30 || len(one.Graph.Operations) != 1 {
		t.Errorf("with one shape: %s", one.Summary())
	}
}

// What traces hold is a call, a store, or left out.
func TestHandMade(t *testing.T) {
	for name, c := range map[string]struct {
		traces []string
		want   string // operations, by their calls
		left   string // in the summary
	}{
		"a client and its server are one call": {[]string{`
01 - a server GET+/x 0 100
02 01 a client POST 10 50
03 02 b server POST+/y 20 30`}, "a.x{b.y}", ""},
		"Zipkin's two spans of one id": {[]string{`
01 - a server GET+/x 0 100
02 01 a client POST 10 50
02 01 b server POST+/y 20 30
04 02 b client get 25 1 db.system=redis`}, "a.x{b.y{redis.get}}", ""},
		"a server without its client": {[]string{`
01 - a server GET+/x 0 100
03 01 b server GET+/y 20 30`}, "a.x{b.y}", ""},
		"internal spans belong to who made them": {[]string{`
01 - a server GET+/x 0 100
02 01 a internal check 5 90
03 02 a client GET 10 50
04 03 a internal dns 10 5
05 03 b server GET+/y 20 30
06 05 b internal think 21 2`}, "a.x{b.y}", ""},
		"two server spans of one request": {[]string{`
01 - a server GET+/x 0 100
02 01 a server GET+/x 5 90
03 02 b server GET+/y 20 30`}, "a.x{b.y}", ""},
		"a client within a client": {[]string{`
01 - a server GET+/x 0 100
02 01 a client rpc 5 90
03 02 a client GET 10 50
04 03 b server GET+/y 20 30`}, "a.x{b.y}", ""},
		"a database over HTTP is one call": {[]string{`
01 - a server GET+/x 0 100
02 01 a client search 5 90 db.system=elasticsearch db.operation=search
03 02 a client GET 10 50 http.url=http://user:secret@es:9200/items/_search`}, "a.x{elasticsearch.search}", ""},
		"a service outside": {[]string{`
01 - a server GET+/x 0 100
02 01 a client GET 10 50 http.method=GET http.url=https://key:secret@pay.example.com/v1/charge?token=secret`}, "a.x{pay-example-com.v1-charge}", ""},
		"what is secret": {[]string{`
01 - http://user:secret@shop/a+b server GET+http://user:secret@shop/x?token=secret 0 100
02 01 user:secret@shop client GET 10 5 http.method=GET http.target=/y?token=secret peer.service=user:secret@items
03 01 user:secret@shop client GET 20 5 db.system=redis db.statement=GET+secret peer.service=redis://:secret@cache/0
04 01 user:secret@shop client GET 30 5 http.method=GET http.target=/reset/secret=`},
			"shop-a-b.x{items.y; cache.get; shop.reset-id}", ""},
		"nobody is named": {[]string{`
01 - a server GET+/x 0 100
02 01 a client send 10 50`}, "a.x{elsewhere.send}", `guessed: .*1 call goes to "elsewhere"`},
		"kinds that names tell": {[]string{`
01 - a - read 0 100
02 01 a - read_b_client 5 90
03 02 b - read_b_server 10 50
04 03 b - b_mongo_find_client 20 10`}, "a.read{b.read_b_server{b-mongodb.find}}", ""},
		"a load generator": {[]string{`
01 - load client GET 0 200
02 01 a server GET+/x 10 100`}, "a.x", ""},
		"a message": {[]string{`
01 - a server GET+/x 0 100
02 01 a producer send 10 5 messaging.system=kafka
03 02 b consumer orders 500 100 messaging.system=kafka messaging.destination=orders`}, "a.x{b.orders &}", ""},
		"a message that nobody takes": {[]string{`
01 - a server GET+/x 0 100
02 01 a producer send 10 5 messaging.system=kafka messaging.destination=orders`}, "a.x{kafka.orders}", ""},
		"an entry by gRPC gets a gateway": {[]string{`
01 - a server shop.A/Do 0 100 rpc.system=grpc rpc.service=shop.A rpc.method=Do`}, "gateway.Do{a.Do}", ""},
		"overlaps are at once": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 30
03 01 c server GET+/c 20 40
04 01 d server GET+/d 70 10`}, "a.x{(b.b | c.c); d.d}", ""},
		"an overlap in one of two": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 10
03 01 c server GET+/c 30 40`, `
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 30
03 01 c server GET+/c 20 40`}, "a.x{(b.b | c.c)}", ""},
		"an order that changes": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 10
03 01 c server GET+/c 30 40`, `
01 - a server GET+/x 0 100
02 01 b server GET+/b 80 10
03 01 c server GET+/c 30 40`}, "a.x{(b.b | c.c)}", ""},
		"one pair at once, and others of its name not": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 30
03 01 b server GET+/b 20 30
04 01 b server GET+/b 60 30`}, "a.x{(b.b | b.b); b.b}", ""},
		"in turn within at once": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 20
03 01 c server GET+/c 40 20
04 01 d server GET+/d 15 70`}, "a.x{(b.b; c.c | d.d)}", ""},
		"neither in turn nor at once": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/b 1 10
03 01 c server GET+/c 2 28
04 01 d server GET+/d 15 25
05 01 e server GET+/e 35 15`}, "a.x{(b.b | c.c | d.d | e.e)}", "1 method makes calls neither in turn nor at once"},
		"in the background": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 500
03 01 c server GET+/c 20 40`}, "a.x{b.b &; c.c}", ""},
		"in the background, begun before and behind the next": {[]string{`
01 - a server GET+/x 0 100
02 01 d server GET+/d 2 3
03 01 b server GET+/b 10 500
04 01 c server GET+/c 12 40`, `
01 - a server GET+/x 0 100
02 01 d server GET+/d 2 3
03 01 c server GET+/c 10 40
04 01 b server GET+/b 12 500`}, "a.x{d.d; b.b &; c.c}", ""},
		"behind its caller by jitter, once of three": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 91`, `
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 90`, `
01 - a server GET+/x 0 100
02 01 b server GET+/b 10 90`}, "a.x{b.b}", ""},
		"a method that calls itself": {[]string{`
01 - a server GET+/x 0 100
02 01 a client GET 10 80
03 02 a server GET+/x 20 60
04 03 a client GET 30 40
05 04 a server GET+/x 40 20`}, "a.x{a.x-3{a.x-2}}", ""},
		"the roots' parents are elsewhere": {[]string{`
01 99 a server GET+/x 0 100
03 01 b server GET+/y 20 30`}, "a.x{b.y}", ""},
		"a parent is missing": {[]string{hit, `
01 - a server GET+/x 0 100
03 99 b server GET+/y 20 30`}, "shop.item-id{cache.get}", `1 trace \(parent missing\)`},
		"several roots": {[]string{hit, `
01 - a server GET+/x 0 100
02 - b server GET+/y 20 30`}, "shop.item-id{cache.get}", `1 trace \(several roots\)`},
		"a circle": {[]string{hit, `
01 - a server GET+/x 0 100
02 03 b server GET+/y 20 30
03 02 b server GET+/z 20 30`}, "shop.item-id{cache.get}", `1 trace \(spans in a circle\)`},
		"a parent that packets do not tell": {[]string{hit, `
01 - a server GET+/x 0 100
02 01 b server GET+/y 20 30 tracetax.parent=likely`}, "shop.item-id{cache.get}", `1 trace \(a parent that is only likely\)`},
		"its own parent": {[]string{hit, `
01 01 a server GET+/x 0 100`}, "shop.item-id{cache.get}", `1 trace \(spans in a circle\)`},
		"no service at the root": {[]string{hit, `
01 - - server GET+/x 0 100`}, "shop.item-id{cache.get}", `1 trace \(no service\)`},
		"no service below": {[]string{`
01 - a server GET+/x 0 100
02 01 - internal check 5 90
03 02 b server GET+/y 20 30`}, "a.x{b.y}", `1 span \(no service\)`},
		"two spans of one id": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/y 20 30
02 01 b server GET+/y 20 30`}, "a.x{b.y}", `1 span \(an id that another span has\)`},
		"a negative length": {[]string{`
01 - a server GET+/x 0 100
02 01 b server GET+/y 20 -30`}, "a.x{b.y}", "1 span ends before it begins"},
		"times of 1970": {[]string{`
01 - a server GET+/x 0 100 at=1
02 01 b server GET+/y 20 30 at=2
03 01 c server GET+/y 20 30 at=3`}, "a.x{b.y; c.y}", "3 spans have no time"},
		"names of all kinds": {[]string{`
01 - Web+Front/1 server GET+/ 0 100
02 01 Web+Front.1 server GET+/user/4711/f47ac10b-58cc-4372-a567-0e02b2c3d479 20 30
03 02 服务 server 方法 20 30
04 02 null server true 20 30`}, "web-front-1-2.index{web-front-1.user-id-id{(null.true | service.index)}}", ""},
		"several verbs of one path": {[]string{`
01 - a server GET+/cart 0 100
02 01 b server POST+/y 20 30
03 01 b server GET+/y 60 30`}, "a.cart{b.y-POST; b.y}", ""},
		"bytes": {[]string{`
01 - a server GET+/x 0 100 http.response_content_length=4000
02 01 b server GET+/y 20 30 http.request.body.size=40 http.response.body.size=70`}, "a.x{b.y}", "bytes of 1 of 4 messages"},
	} {
		t.Run(name, func(t *testing.T) {
			r, g := imported(t, handmade(t, c.traces...), traces.Options{})
			var got []string
			for _, o := range g.Operations {
				got = append(got, calls(g, o.Call))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("operations %v, want %s\n%s", got, c.want, r.Text)
			}
			if summary := r.Summary(); !matches(t, c.left, summary) || c.left == "" && strings.Contains(summary, "left out") {
				t.Errorf("the summary is %s, want %s in it", summary, c.left)
			}
			if strings.Contains(string(r.Text), "secret") || strings.Contains(string(r.Text), "4711") {
				t.Errorf("what is secret is in the topology:\n%s", r.Text)
			}
		})
	}
}

// A method's time is what its calls leave of it; errors are counted where they begin.
func TestTimesAndErrors(t *testing.T) {
	const fine = `
01 - a server GET+/x 0 1000
02 01 b server GET+/y 100 200 http.response.body.size=70
03 01 c server GET+/z 200 400`
	failing := strings.Replace(fine, "size=70", "size=70 error=true", 1)
	failing = strings.Replace(failing, "0 1000", "0 1000 error=true", 1)
	_, g := imported(t, handmade(t, `
01 - a server GET+/x 0 1000
02 01 b server GET+/y 100 2000
03 01 c server GET+/z 200 400`), traces.Options{})
	if a, _ := g.Find("a.x"); a.Does.Wait.Microseconds() != 600 {
		t.Errorf("a waits %v, want 600µs: nobody awaits b", a.Does.Wait)
	}
	r, g := imported(t, handmade(t, append(repeat(fine, 3), failing)...), traces.Options{Work: 0.3})
	a, _ := g.Find("a.x")
	b, _ := g.Find("b.y")
	// Calls take 100 to 600 of 1,000 µs.
	if a.Does.Wait.Microseconds() != 350 || a.Does.Work.Microseconds() != 150 || a.Does.Errors != 0 {
		t.Errorf("a works %v, waits %v, errors %v; want 150µs, 350µs, 0\n%s", a.Does.Work, a.Does.Wait, a.Does.Errors, r.Text)
	}
	if b.Does.Errors != 0.25 || b.Does.Answer != 70 || b.Does.Request == 0 {
		t.Errorf("b errors %v and answers %d bytes; want 25 %%, 70", b.Does.Errors, b.Does.Answer)
	}
	if !strings.Contains(string(r.Text), "request: 100 # a guess") || strings.Contains(string(r.Text), "answer: 70 #") {
		t.Errorf("guesses are marked, and what is known is not:\n%s", r.Text)
	}
}

// What is more than a topology can have is left out, and counted.
func TestBoundsOfATopology(t *testing.T) {
	fan := func(n int) *topology.Graph {
		return &topology.Graph{
			Nodes:      []topology.Node{{Name: "a", Methods: []topology.Method{{Name: "x", Steps: []topology.Step{{Call: "b.y", Times: n}}}}}, {Name: "b"}},
			Operations: []topology.Operation{{Name: "x", Call: "a.x"}},
		}
	}
	small, _ := walked(fan(1000), 1, 1), 0
	big := newWalker(fan(1001), 2)
	big.operation(big.g.Operations[0])
	r, _ := imported(t, append(small.otlp(t, sameID), big.otlp(t, sameID)...), traces.Options{})
	if r.LeftOut.Traces["over 1,000 calls"] != 1 || r.Operations[0].Traces != 1 {
		t.Errorf("of 1,000 and 1,001 calls: %s", r.Summary())
	}
	// One trace of a million spans takes little memory, and is left out.
	million := make([]byte, 0, 64<<20)
	for i := range 1_000_000 {
		million = fmt.Appendf(million, `{"traceId":"1","id":"%x","parentId":"1","name":"x","localEndpoint":{"serviceName":"a"}}`+"\n", i+1)
	}
	r, _ = imported(t, append(million, small.otlp(t, sameID)...), traces.Options{})
	if r.LeftOut.Traces["over 50,000 spans"] != 1 || r.LeftOut.Spans["beyond 50,000 of a trace"] != 1_000_000-50_001 || r.Traces != 2 {
		t.Errorf("of a trace with a million spans: %s", r.Summary())
	}
	// 300 services, each with an operation: 200 processes are the most.
	var many []string
	for i := range 300 {
		for range 1 + i%2 {
			many = append(many, fmt.Sprintf("01 - s%d server GET+/x 0 100", i))
		}
	}
	r, g := imported(t, handmade(t, many...), traces.Options{})
	if len(g.Nodes) != 200 || r.LeftOut.Traces["no room in a topology"] != 100 {
		t.Errorf("%d nodes: %s", len(g.Nodes), r.Summary())
	}
	if !strings.Contains(string(r.Text), "  s1:\n") {
		t.Error("the most frequent operations are kept")
	}
}

// A trace in ten thousand shapes: those that are kept fit, the others are counted.
func TestTenThousandShapes(t *testing.T) {
	var many []string
	for i := range 10_000 {
		trace := "01 - a server GET+/x 0 90000"
		for bit := range 14 {
			if i>>bit&1 == 1 {
				trace += fmt.Sprintf("\n%02x 01 b server GET+/y%c %d 5", bit+2, 'a'+bit, 10*bit+1)
			}
		}
		many = append(many, trace)
	}
	for _, shapes := range []int{20, 100_000} {
		r, g := imported(t, handmade(t, many...), traces.Options{Shapes: shapes})
		kept, left := 0, 0
		for _, o := range r.Operations {
			kept += o.Traces
		}
		for _, n := range r.LeftOut.Traces {
			left += n
		}
		if kept+left != 10_000 || len(g.Operations) != kept || shapes == 20 && kept != 20 || shapes > 20 && kept < 200 {
			t.Errorf("with %d shapes %d traces are kept in %d operations, %d left out", shapes, kept, len(g.Operations), left)
		}
	}
}

// Whatever a file has, the topology of it is valid, and every trace is in it or counted as left out.
func FuzzImport(f *testing.F) {
	f.Add(handmade(f, hit, miss))
	f.Add(handmade(f, "01 - a server GET+/x 0 100\n02 01 b consumer y 20 -30 error=1\n02 01 b client y 20 300 db.system=x"))
	f.Add([]byte(`{"traceId":"1","id":"1","kind":"CLIENT","localEndpoint":{"serviceName":"a"},"name":"\u0007 GET http://u:p@h/x?y"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		im := traces.New(traces.Options{Shapes: 3, Work: 0.5})
		if im.Add("fuzz", bytes.NewReader(text)) != nil {
			return
		}
		r, err := im.Topology()
		if err != nil {
			return
		}
		n := 0
		for _, o := range r.Operations {
			n += o.Traces
		}
		for _, left := range r.LeftOut.Traces {
			n += left
		}
		if n != r.Traces {
			t.Errorf("%d of %d traces are accounted for: %s", n, r.Traces, r.Summary())
		}
		source := &program.Source{File: "fuzz.yaml"}
		if source.Graph(r.Text); len(source.Problems) > 0 {
			t.Errorf("the topology is not valid: %v\n%s", source.Err(), r.Text)
		}
	})
}
