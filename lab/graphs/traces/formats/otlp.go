package formats

// resourceSpans reads the spans of one resource. They wait for its service, should it come behind them.
func (r *reader) resourceSpans() error {
	var resource Span
	var waiting []Span
	known := false
	err := r.object(func(name string) error {
		switch name {
		case "resource":
			known = true
			return r.object(func(name string) error {
				if name != "attributes" {
					return r.in.SkipValue()
				}
				return r.array(func() error { return r.keyValue(&resource) })
			})
		case "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans":
			return r.array(func() error {
				return r.object(func(name string) error {
					if name != "spans" {
						return r.in.SkipValue()
					}
					return r.array(func() error {
						s, err := r.otlpSpan()
						switch {
						case err != nil:
							return err
						case known:
							s.Service = resource.Fields[serviceName]
							return r.emit(&s)
						case len(waiting) >= MostSpans:
							r.found.Spans++
							r.found.Beyond++
						default:
							waiting = append(waiting, s)
						}
						return nil
					})
				})
			})
		}
		return r.in.SkipValue()
	})
	for i := range waiting {
		if err != nil {
			return err
		}
		waiting[i].Service = resource.Fields[serviceName]
		err = r.emit(&waiting[i])
	}
	return err
}

// keyValue reads an attribute.
func (r *reader) keyValue(s *Span) error {
	var key, value string
	err := r.object(func(name string) (err error) {
		switch name {
		case "key":
			key, err = r.text()
		case "value":
			err = r.object(func(name string) error {
				if key != "" && !isWanted(key) {
					return r.in.SkipValue()
				}
				text, err := r.text()
				value = text
				return err
			})
		default:
			err = r.in.SkipValue()
		}
		return err
	})
	s.set(key, value)
	return err
}

// otlpSpan reads one span.
func (r *reader) otlpSpan() (s Span, err error) {
	err = r.object(func(name string) (err error) {
		var id [2]uint64
		switch name {
		case "traceId", "trace_id":
			s.Trace, err = r.id()
		case "spanId", "span_id":
			id, err = r.id()
			s.ID = id[1]
		case "parentSpanId", "parent_span_id":
			id, err = r.id()
			s.Parent = id[1]
		case "name":
			s.Name, err = r.text()
		case "kind":
			var text string
			text, err = r.text()
			s.Kind = kindNamed(text)
		case "startTimeUnixNano", "start_time_unix_nano":
			s.Start, err = r.integer()
		case "endTimeUnixNano", "end_time_unix_nano":
			s.End, err = r.integer()
		case "attributes":
			err = r.array(func() error { return r.keyValue(&s) })
		case "status":
			err = r.object(func(name string) error {
				if name != "code" {
					return r.in.SkipValue()
				}
				code, err := r.text()
				s.Failed = s.Failed || code == "2" || code == "STATUS_CODE_ERROR"
				return err
			})
		default:
			err = r.in.SkipValue()
		}
		return err
	})
	s.settle()
	return s, err
}
