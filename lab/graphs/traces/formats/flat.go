package formats

// flat is a span of Jaeger or Zipkin: an object that stands for itself.
type flat struct {
	Span
	isSpan           bool
	begin, duration  int64 // µs, since 1970
	childOf, follows reference
}

// reference is the span that another one names.
type reference struct {
	trace [2]uint64
	id    uint64
	kind  string
}

// member reads a member of the object. tags is a list of Jaeger's, and a mapping of Zipkin's.
func (f *flat) member(r *reader, name string) (err error) {
	var id [2]uint64
	switch name {
	case "traceID", "traceId":
		f.Trace, err = r.id()
	case "spanID", "spanId", "id":
		id, err = r.id()
		f.ID, f.isSpan = id[1], true
	case "parentId", "parentSpanID", "parentSpanId":
		id, err = r.id()
		f.Parent = id[1]
	case "operationName", "name":
		f.Name, err = r.text()
	case "kind":
		var text string
		text, err = r.text()
		f.Kind = kindNamed(text)
	case "startTime", "timestamp":
		f.begin, err = r.integer()
	case "duration":
		f.duration, err = r.integer()
	case "processID":
		f.process, err = r.text()
	case "shared":
		var text string
		text, err = r.text()
		f.Shared = text == "true"
	case "references":
		err = r.array(func() error { return f.reference(r) })
	case "tags":
		err = f.tags(r)
	case "process", "localEndpoint":
		f.Service, err = r.serviceIn(f.Service)
	case "remoteEndpoint":
		var peer string
		peer, err = r.serviceIn("")
		f.set("peer.service", peer)
	default:
		err = r.in.SkipValue()
	}
	return err
}

// reference reads one of Jaeger's references. It may repeat the whole span that it names, and that its own references: they are
// passed over.
func (f *flat) reference(r *reader) error {
	var one reference
	err := r.object(func(name string) (err error) {
		var id [2]uint64
		switch name {
		case "refType":
			one.kind, err = r.text()
		case "traceID":
			one.trace, err = r.id()
		case "spanID":
			id, err = r.id()
			one.id = id[1]
		default:
			err = r.in.SkipValue()
		}
		return err
	})
	switch {
	case one.kind == "FOLLOWS_FROM" && f.follows.id == 0:
		f.follows = one
	case one.kind != "FOLLOWS_FROM" && f.childOf.id == 0:
		f.childOf = one
	}
	return err
}

// tags reads the attributes.
func (f *flat) tags(r *reader) error {
	if r.in.PeekKind() == '{' {
		return r.object(func(name string) error {
			value, err := r.attribute(name)
			if name == "error" && value == "" { // Zipkin: that it is there tells
				value = "true"
			}
			f.set(name, value)
			return err
		})
	}
	return r.array(func() error {
		var key, value string
		err := r.object(func(name string) (err error) {
			switch name {
			case "key":
				key, err = r.text()
			case "value":
				value, err = r.text()
			default:
				err = r.in.SkipValue()
			}
			return err
		})
		f.set(key, value)
		return err
	})
}

// attribute reads the value of an attribute that is wanted, and passes over others.
func (r *reader) attribute(name string) (string, error) {
	if !isWanted(name) {
		return "", r.in.SkipValue()
	}
	return r.text()
}

// serviceIn reads the name of a service in an object; otherwise stands where there is none.
func (r *reader) serviceIn(otherwise string) (string, error) {
	out := otherwise
	err := r.object(func(name string) error {
		if name != "serviceName" {
			return r.in.SkipValue()
		}
		text, err := r.text()
		if text != "" {
			out = text
		}
		return err
	})
	return out, err
}

// done is the span, once all its members are read.
func (f *flat) done() *Span {
	s := &f.Span
	for _, ref := range []reference{f.childOf, f.follows} {
		sameTrace := ref.trace == s.Trace || ref.trace == [2]uint64{}
		if s.Parent == 0 && sameTrace {
			s.Parent = ref.id
		}
	}
	if start, lasts := micro(f.begin), micro(f.duration); start != 0 {
		s.Start, s.End = start, start+lasts
	}
	s.settle()
	return s
}

// jaegerTrace is a trace of Jaeger's. Its spans wait for the names of their processes.
type jaegerTrace struct {
	*reader
	spans    []Span
	services map[string]string // by the id of a process
}

// member reads the spans or the processes of the trace.
func (t *jaegerTrace) member(name string) error {
	if name == "processes" {
		return t.object(func(process string) error {
			service, err := t.serviceIn("")
			t.services[process] = service
			return err
		})
	}
	return t.array(func() error {
		var one flat
		if err := t.object(func(name string) error { return one.member(t.reader, name) }); err != nil {
			return err
		}
		if len(t.spans) > MostSpans { // the one beyond says that there were more
			t.found.Spans++
			t.found.Beyond++
			return nil
		}
		t.spans = append(t.spans, *one.done())
		return nil
	})
}

// flush passes the spans on.
func (t *jaegerTrace) flush() error {
	for i := range t.spans {
		s := &t.spans[i]
		if service := t.services[s.process]; service != "" {
			s.Service = service
		}
		if err := t.emit(s); err != nil {
			return err
		}
	}
	return nil
}
