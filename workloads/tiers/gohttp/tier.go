// What a tier answers: what the next one answered, or its own where it is the last.
package main

import (
	"io"
	"log"
	"net/http"
	"time"
)

// tier is a process.
type tier struct {
	next   string // URL without a path; "" for the last
	client *http.Client
}

func newTier(next string) http.Handler {
	t := &tier{next: next, client: newClient()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	if next != "" {
		mux.HandleFunc("GET /{work}", t.pass)
	} else {
		mux.HandleFunc("GET /{work}", do)
	}
	return mux
}

// newClient returns a client that keeps as many connections open as there are
// requests at once; the default keeps two and would dial again under load.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConns = 0
	transport.MaxIdleConnsPerHost = 512
	return &http.Client{Transport: traceTransport(transport), Timeout: 10 * time.Second}
}

// pass answers as the next tier does.
func (t *tier) pass(w http.ResponseWriter, r *http.Request) {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, t.next+r.URL.RequestURI(), nil)
	if err != nil {
		unreached(w, err)
		return
	}
	response, err := t.client.Do(request)
	if err != nil {
		unreached(w, err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		unreached(w, err)
		return
	}
	write(w, response.StatusCode, body)
}

func unreached(w http.ResponseWriter, err error) {
	log.Print("tiers: ", err)
	write(w, http.StatusBadGateway, []byte("the next tier does not answer"))
}

// do computes.
func do(w http.ResponseWriter, r *http.Request) {
	work, ok := works[r.PathValue("work")]
	if !ok {
		write(w, http.StatusNotFound, []byte("there is no such work"))
		return
	}
	body, err := work(r)
	if err != nil {
		log.Print("tiers: ", err)
		write(w, http.StatusInternalServerError, []byte("failed"))
		return
	}
	write(w, http.StatusOK, body)
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		log.Print("tiers: writing an answer: ", err)
	}
}
