package main

import (
	"encoding/json"
	"log"
	"net/http"
	"strconv"
)

// mostQueries is how many rows a client may ask for at once.
const mostQueries = 500

type greeting struct {
	Message string `json:"message"`
}

// newApp answers the four tests, and /healthz.
func newApp(worlds worlds) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /json", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, greeting{"Hello, World!"}, nil)
	})
	mux.HandleFunc("GET /db", func(w http.ResponseWriter, r *http.Request) {
		world, err := worlds.one(r.Context())
		answer(w, world, err)
	})
	mux.HandleFunc("GET /queries", func(w http.ResponseWriter, r *http.Request) {
		several, err := worlds.several(r.Context(), queries(r))
		answer(w, several, err)
	})
	mux.HandleFunc("GET /updates", func(w http.ResponseWriter, r *http.Request) {
		updated, err := worlds.update(r.Context(), queries(r))
		answer(w, updated, err)
	})
	return mux
}

// queries returns how many rows the client asks for: 1 to 500, and 1 if it
// cannot be told.
func queries(r *http.Request) int {
	count, err := strconv.Atoi(r.FormValue("queries"))
	if err != nil {
		return 1
	}
	return min(max(count, 1), mostQueries)
}

func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		log.Print("world: ", err)
		http.Error(w, "the database does not answer", http.StatusInternalServerError)
		return
	}
	body, err := json.Marshal(value)
	if err != nil {
		log.Print("world: ", err)
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Server", "net/http")
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a client that is gone needs no answer
}
