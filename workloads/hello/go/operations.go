// The operations of the service, and what answers them.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"
)

// hashRounds is the work of one /cpu request: about 200 µs on one core of a
// 2020s server. It is an amount and not a time, so that tracing cannot take
// part of it away.
const hashRounds = 3000

// greeting is the body of /json and /downstream.
type greeting struct {
	Message string   `json:"message"`
	Number  int      `json:"number"`
	Tags    []string `json:"tags"`
}

// digest is the body of /cpu.
type digest struct {
	Rounds int    `json:"rounds"`
	SHA256 string `json:"sha256"`
}

// app is the process that clients talk to.
type app struct {
	downstream string // URL without a path
	client     *http.Client
}

func newApp(downstream string) http.Handler {
	a := &app{downstream: downstream, client: newClient()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthz)
	mux.HandleFunc("GET /json", greet)
	mux.HandleFunc("GET /cpu", cpu)
	mux.HandleFunc("GET /remote", a.remote)
	return mux
}

func newDownstream() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthz)
	mux.HandleFunc("GET /downstream", greet)
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

func healthz(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusNoContent)
}

func greet(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, greeting{Message: "hello", Number: 42, Tags: []string{"small", "json"}})
}

func cpu(w http.ResponseWriter, _ *http.Request) {
	sum := sha256.Sum256([]byte("hello"))
	for range hashRounds {
		sum = sha256.Sum256(sum[:])
	}
	writeJSON(w, digest{Rounds: hashRounds, SHA256: hex.EncodeToString(sum[:])})
}

// remote passes on what the downstream process answers.
func (a *app) remote(w http.ResponseWriter, r *http.Request) {
	body, err := a.fetch(r)
	if err != nil {
		log.Print("hello: ", err)
		http.Error(w, "the downstream process does not answer", http.StatusBadGateway)
		return
	}
	writeJSON(w, json.RawMessage(body))
}

func (a *app) fetch(r *http.Request) ([]byte, error) {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, a.downstream+"/downstream", nil)
	if err != nil {
		return nil, err
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", request.URL, response.Status)
	}
	return io.ReadAll(response.Body)
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print("hello: writing an answer: ", err)
	}
}
