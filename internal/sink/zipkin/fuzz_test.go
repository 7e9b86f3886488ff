package zipkin

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/openzipkin/zipkin-go/model"
	"github.com/openzipkin/zipkin-go/proto/zipkin_proto3"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// FuzzJSON: what is counted as valid is JSON, of as many spans as it is an array of.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`[{"traceId":"1","id":"2","parentId":"3","name":"a\n","kind":"CLIENT","shared":true,"localEndpoint":{"serviceName":"s"},"tags":{"a":"b"}}]`))
	f.Add([]byte(`[null,{"traceId":"463ac35c9f6413ad48485a3953bb6124","id":"a2fb4a1d1a96d312"}]`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		b := tally.New(tally.Config{Checking: true, MaxSpans: 10}).Batch()
		err := walkJSON(b, body)
		if err != nil {
			if !errors.Is(err, wire.ErrJSON) {
				t.Errorf("error of another kind: %v", err)
			}
			return
		}
		var spans []any
		if err := json.Unmarshal(body, &spans); err != nil {
			t.Fatalf("accepted %q: %v", body, err)
		}
		if got := b.Spans + b.Rejected; got != uint64(len(spans)) {
			t.Errorf("%d spans, want %d", got, len(spans))
		}
	})
}

// FuzzProtobuf: what Zipkin's own library reads is counted alike.
func FuzzProtobuf(f *testing.F) {
	parent := model.ID(3)
	body, err := (zipkin_proto3.SpanSerializer{}).Serialize([]*model.SpanModel{
		{SpanContext: model.SpanContext{TraceID: model.TraceID{High: 1, Low: 2}, ID: 2, ParentID: &parent}, Name: "a", Kind: model.Server, Shared: true,
			LocalEndpoint: &model.Endpoint{ServiceName: "s"}, Tags: map[string]string{"a": "b"}},
		{SpanContext: model.SpanContext{TraceID: model.TraceID{Low: 2}, ID: 4}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		b := tally.New(tally.Config{Checking: true, MaxSpans: 10}).Batch()
		err := walkProtobuf(b, body)
		if err != nil && !errors.Is(err, wire.ErrProtobuf) {
			t.Errorf("error of another kind: %v", err)
		}
		spans, libraryErr := zipkin_proto3.ParseSpans(body, false)
		if libraryErr != nil || err != nil {
			return
		}
		if got := b.Spans + b.Rejected; got != uint64(len(spans)) {
			t.Errorf("%d spans, the library reads %d", got, len(spans))
		}
	})
}
