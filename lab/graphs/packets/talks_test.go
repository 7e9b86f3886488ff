package packets_test

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// said holds bytes that one end of a connection sends.
type said struct {
	server bool
	data   string
}

func asks(data string) said    { return said{false, data} }
func answers(data string) said { return said{true, data} }

// h2 is one end of a connection of HTTP/2.
type h2 struct {
	*http2.Framer
	out, block bytes.Buffer
	table      *hpack.Encoder
}

func newH2() *h2 {
	h := &h2{}
	h.Framer, h.table = http2.NewFramer(&h.out, nil), hpack.NewEncoder(&h.block)
	return h
}

// must is for writes to a buffer.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// encoded are headers: names and values by turns.
func (h *h2) encoded(fields ...string) []byte {
	h.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		must(h.table.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}))
	}
	return bytes.Clone(h.block.Bytes())
}

// headers sends headers in one frame.
func (h *h2) headers(stream uint32, end bool, fields ...string) {
	must(h.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, EndStream: end, EndHeaders: true, BlockFragment: h.encoded(fields...)}))
}

// said returns what was sent since the last time.
func (h *h2) said() string {
	defer h.out.Reset()
	return h.out.String()
}

func grpcHeaders(path, trace string) []string {
	return []string{":method", "POST", ":scheme", "http", ":path", path, ":authority", "cart",
		"content-type", "application/grpc", "traceparent", trace}
}

// http2Talk is two gRPC calls and two of HTTP, which overlap, with a large block of headers.
func http2Talk() []said {
	up, down := newH2(), newH2()
	must(down.WriteSettings())
	settings := down.said()

	must(up.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 20}))
	up.headers(1, false, grpcHeaders("/shop.Cart/Add", "t1")...)
	must(up.WriteData(1, true, []byte("hello")))
	block := up.encoded(grpcHeaders("/shop.Cart/Get", strings.Repeat("z", 40_000))...)
	must(up.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: block[:10_000], PadLength: 7,
		Priority: http2.PriorityParam{StreamDep: 1, Weight: 3}}))
	must(up.WriteContinuation(3, false, block[10_000:20_000]))
	must(up.WriteContinuation(3, true, block[20_000:]))
	must(up.WriteDataPadded(3, true, []byte("hi"), make([]byte, 9)))
	must(up.WritePing(false, [8]byte{}))
	up.headers(5, true, ":method", "GET", ":path", "/page?x=1", ":scheme", "http", ":authority", "cart")
	up.headers(7, true, ":method", "GET", ":path", "/gone", ":scheme", "http", ":authority", "cart")

	must(down.WriteSettingsAck())
	down.headers(3, false, ":status", "200", "content-type", "application/grpc")
	must(down.WriteData(3, false, []byte("an answer")))
	down.headers(5, false, ":status", "103")
	down.headers(5, false, ":status", "404")
	must(down.WriteData(5, true, nil))
	down.headers(3, true, "grpc-status", "0")
	must(down.WriteRSTStream(7, http2.ErrCodeCancel))
	down.headers(1, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "5")
	return []said{answers(settings), asks(http2.ClientPreface + up.said()), answers(down.said())}
}

// thriftFrame is a message of Thrift in its frame.
func thriftFrame(kind byte, name string, id uint32, body string) string {
	b := append([]byte{0x80, 1, 0, kind}, binary.BigEndian.AppendUint32(nil, uint32(len(name)))...)
	b = binary.BigEndian.AppendUint32(append(b, name...), id)
	b = append(b, body...)
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(b)))) + string(b)
}

// thriftCarrier is the arguments of a call: numbers, a struct, a list, then a map of strings.
func thriftCarrier(pairs ...string) string {
	text := func(b []byte, s string) []byte {
		return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	b := []byte{10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 12, 0, 2, 8, 0, 1, 0, 0, 0, 1, 11, 0, 2, 0, 0, 0, 1, 'a', 0, 15, 0, 3, 10, 0, 0, 0, 1}
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 1, 13, 0, 4, 11, 11)
	b = binary.BigEndian.AppendUint32(b, uint32(len(pairs)/2))
	for _, p := range pairs {
		b = text(b, p)
	}
	return string(text(append(b, 11, 0, 5), strings.Repeat("p", 300))) + "\x00"
}

// bson is a document with these elements.
func bson(elements ...string) string {
	body := strings.Join(elements, "") + "\x00"
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)+4))) + body
}

func bsonText(name, value string) string {
	return "\x02" + name + "\x00" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(value)+1))) + value + "\x00"
}

// mongoMessage is one of OP_MSG, or of another kind.
func mongoMessage(id, to, kind uint32, body string) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(16+len(body)))
	b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, id), to)
	return string(binary.LittleEndian.AppendUint32(b, kind)) + body
}

const (
	bsonOK     = "\x01ok\x00\x00\x00\x00\x00\x00\x00\xf0\x3f"
	bsonFailed = "\x01ok\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	noFlags    = "\x00\x00\x00\x00\x00" // of OP_MSG, and the kind of its first section
)

var thriftTalk = []said{
	asks(thriftFrame(1, "post", 1, thriftCarrier("traceparent", "t1", "tracestate", "tt=2"))),
	answers(thriftFrame(2, "post", 1, "\x0b\x00\x00\x00\x00\x00\x01x\x00")),
	asks(thriftFrame(1, "read", 2, thriftCarrier())), answers(thriftFrame(2, "read", 2, "\x0c\x00\x01\x00\x00")),
	asks(thriftFrame(4, "tell", 3, "\x00")),
	asks(thriftFrame(1, "none", 4, "\x00")), answers(thriftFrame(3, "none", 4, "\x00")),
	asks(thriftFrame(1, "a", 5, "\x00") + thriftFrame(1, "b", 6, "\x0b\x00\x01\x00\x03\x00\x00"+strings.Repeat("x", 3<<16)+"\x00")),
	answers(thriftFrame(2, "b", 6, "\x00") + thriftFrame(2, "a", 5, "\x00")),
}

// talks are conversations with what is known of their calls.
var talks = []struct {
	name  string
	says  []said
	calls []string
	more  [2]int // bytes of each end that belong to no call

	unknown, upgraded int
}{
	{"http", []said{
		asks("GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n"), answers("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"),
		asks("HEAD http://user:secret@shop/b HTTP/1.1\r\n\r\n"), answers("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n"),
		asks("DELETE /c HTTP/1.1\r\nContent-Length: 2\r\n\r\nxy"), answers("HTTP/1.1 204 No Content\r\n\r\n"),
		asks("GET /d HTTP/1.1\r\n\r\n"), answers("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n"),
		asks("POST /e HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"), answers("HTTP/1.1 100 Continue\r\n\r\n"),
		asks("body"), answers("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"),
		asks("POST /f HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n10;x=y\r\n0123456789abcdef\r\n0\r\n\r\n"),
		answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n"),
		asks("GET /g HTTP/1.1\r\n\r\nGET /h HTTP/1.1\r\n\r\n"),
		answers("HTTP/1.1 201 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 202 OK\r\nContent-Length: 1\r\n\r\nx"),
		asks("GET /i HTTP/1.0\r\n\r\n"), answers("HTTP/1.0 200 OK\r\n\r\nto the end"),
	}, []string{
		"http GET /a 200", "http HEAD /b 200", "http DELETE /c 204", "http GET /d 304", "http POST /e 500",
		"http POST /f 200", "http GET /g 201", "http GET /h 202", "http GET /i 200",
	}, [2]int{0, len("HTTP/1.1 100 Continue\r\n\r\n")}, 0, 0},
	{"http upgraded", []said{
		asks("GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"), answers("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
		asks("\x81\x05hello"), answers("\x81\x05hello"),
	}, []string{"http GET /ws 101"}, [2]int{7, 7}, 0, 1},
	{"http/2", http2Talk(), []string{
		"grpc /shop.Cart/Add 5", "grpc /shop.Cart/Get 0", "http GET /page 404", "http GET /gone  no end",
	}, [2]int{len(http2.ClientPreface) + 15 + 17, 9 + 9 + 13 + 13}, 0, 0},
	{"thrift", thriftTalk, []string{
		"thrift post OK", "thrift read EXCEPTION", "thrift tell ", "thrift none EXCEPTION", "thrift a OK", "thrift b OK",
	}, [2]int{}, 0, 0},
	{"redis", []said{
		asks("*2\r\n$3\r\nGET\r\n$1\r\na\r\n"), answers("$5\r\nhello\r\n"),
		asks("*3\r\n$3\r\nset\r\n$1\r\na\r\n$100\r\n" + strings.Repeat("x", 100) + "\r\n"), answers("+OK\r\n"),
		asks("*2\r\n$3\r\nGET\r\n$1\r\nb\r\n*1\r\n$4\r\nPING\r\n"), answers("$-1\r\n+PONG\r\n"),
		asks("*4\r\n$6\r\nzrange\r\n$1\r\na\r\n$1\r\n0\r\n$2\r\n-1\r\n"), answers("*2\r\n$1\r\na\r\n*2\r\n:1\r\n$0\r\n\r\n"),
		asks("*1\r\n$4\r\nlpop\r\n"), answers("-WRONGTYPE no list\r\n"),
		asks("*1\r\n$5\r\nhello\r\n"), answers("|1\r\n+ttl\r\n:3\r\n%1\r\n+server\r\n+redis\r\n"),
		asks("PING\r\n"), answers("+PONG\r\n"),
		asks("*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n"),
		answers("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"), answers(">2\r\n$1\r\nc\r\n$2\r\nhi\r\n"), answers("*2\r\n$1\r\nc\r\n$2\r\nhi\r\n"),
	}, []string{
		"redis get OK", "redis set OK", "redis get OK", "redis ping OK", "redis zrange OK", "redis lpop WRONGTYPE",
		"redis hello OK", "redis ping OK", "redis subscribe OK",
	}, [2]int{0, 19 + 19}, 0, 0},
	{"memcached", []said{
		asks("gets a\r\n"), answers("VALUE a 0 5 9\r\nhello\r\nEND\r\n"),
		asks("get a\r\n"), answers("END\r\n"),
		asks("set a 0 0 10\r\n0123456789\r\n"), answers("STORED\r\n"),
		asks("set a 0 0 1 noreply\r\nx\r\n"),
		asks("incr n 1\r\n"), answers("12\r\n"),
		asks("cas a 0 0 1 9\r\nx\r\n"), answers("EXISTS\r\n"),
		asks("stats\r\n"), answers("STAT pid 1\r\nSTAT uptime 2\r\nEND\r\n"),
		asks("set a 0 0 1\r\nx\r\n"), answers("SERVER_ERROR out of memory\r\n"),
		asks("mg a v\r\n"), answers("VA 2\r\nab\r\n"),
		asks("get a b\r\nget c\r\n"), answers("VALUE a 0 1\r\nx\r\nVALUE b 0 1\r\ny\r\nEND\r\nEND\r\n"),
	}, []string{
		"memcached get OK", "memcached get OK", "memcached set OK", "memcached set ", "memcached incr OK", "memcached cas OK",
		"memcached stats OK", "memcached set SERVER_ERROR", "memcached mg OK", "memcached get OK", "memcached get OK",
	}, [2]int{}, 0, 0},
	{"mongodb", []said{
		asks(mongoMessage(1, 0, 2004, "\x00\x00\x00\x00admin.$cmd\x00\x00\x00\x00\x00\xff\xff\xff\xff"+bson(bsonText("isMaster", "1")))),
		answers(mongoMessage(90, 1, 1, strings.Repeat("\x00", 20)+bson(bsonText("x", "y"), bsonOK))),
		asks(mongoMessage(2, 0, 2013, noFlags+bson(bsonText("find", "items"), bsonText("$db", "shop")))),
		answers(mongoMessage(91, 2, 2013, noFlags+bson("\x03cursor\x00"+bson(bsonText("firstBatch", strings.Repeat("x", 90_000))), bsonOK))),
		asks(mongoMessage(3, 0, 2013, noFlags+bson(bsonText("insert", "items"))+"\x01\x10\x00\x00\x00documents\x00"+bson())),
		answers(mongoMessage(92, 3, 2013, noFlags+bson(bsonFailed, bsonText("errmsg", "no"),
			"\x10code\x00\x0b\x00\x00\x00", bsonText("codeName", "DuplicateKey")))),
		asks(mongoMessage(4, 0, 2013, "\x02\x00\x00\x00\x00"+bson(bsonText("update", "items")))),
		asks(mongoMessage(5, 0, 2012, "compressed")), answers(mongoMessage(93, 5, 2012, "compressed")),
	}, []string{
		"mongodb isMaster OK", "mongodb find OK", "mongodb insert DuplicateKey", "mongodb update ", "mongodb  OK",
	}, [2]int{}, 0, 0},
	{"turns", []said{
		answers("a greeting of a server"), asks("\x01 what is this protocol?"), answers("\x02 nobody knows"),
		asks("\x01 again"), asks("\x01 and more"),
		answers("\x02 an"), answers(" answer"), asks("\x01 the last one"),
	}, []string{"turns  ", "turns  ", "turns   no end"}, [2]int{0, len("a greeting of a server")}, 1, 0},
}

// say has each end send its part of a conversation.
func say(conn *packetstest.Conn, says []said) {
	for _, s := range says {
		if s.server {
			conn.Answer(s.data)
		} else {
			conn.Ask(s.data)
		}
	}
}

// talk is the capture of a conversation, in segments of at most mss bytes.
func talk(says []said, mss int) []byte {
	c := packetstest.New(func(c *packetstest.Capture) { c.MSS = mss })
	conn := c.Dial(client, server)
	say(conn, says)
	conn.Close()
	return c.Bytes()
}
