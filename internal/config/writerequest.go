// Requests as YAML: what an operation has, and each of its steps.

package config

import (
	"encoding/base64"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"
)

// step is one in a file.
func (w writer) step(o Step) pairs {
	var p pairs
	p.add("request", o.Method+" "+w.redactor.text(o.URL))
	w.asked(&p, o.Headers, o.Body, o.Status)
	if len(o.Take) > 0 {
		var take pairs
		for _, name := range slices.Sorted(maps.Keys(o.Take)) {
			take.add(name, o.Take[name])
		}
		p.add("take", take)
	}
	return p
}

// asked adds what a request has besides where it goes.
func (w writer) asked(p *pairs, headers map[string]string, body []byte, status []int) {
	if len(headers) > 0 {
		p.add("headers", w.env(headers))
	}
	if len(body) > 0 {
		p.add("body", bodyOf(body))
	}
	switch len(status) {
	case 0:
	case 1:
		p.add("status", status[0])
	default:
		p.add("status", status)
	}
}

// bodyOf is a text where that survives being written as YAML.
func bodyOf(body []byte) pairs {
	text := string(body)
	for _, r := range text {
		if unicode.IsControl(r) || !unicode.IsPrint(r) {
			return single("base64", base64.StdEncoding.EncodeToString(body))
		}
	}
	if !utf8.ValidString(text) {
		return single("base64", base64.StdEncoding.EncodeToString(body))
	}
	return single("text", text)
}
