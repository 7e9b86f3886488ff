package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// plan is what one process of a graph is to do.
type plan struct {
	Node     string            `json:"node"`
	Protocol string            `json:"protocol"` // http, grpc or thrift
	Listen   string            `json:"listen"`   // address for calls
	Counters string            `json:"counters"` // address of the page of counters, and of /healthz
	From     string            `json:"from"`     // the address that it calls from, so that packets tell who calls
	Store    bool              `json:"store"`    // it stands for a database: it is not traced
	Methods  map[string]method `json:"methods"`
	Peers    map[string]peer   `json:"peers"` // nodes that it calls, by name
}

// method is what is done when it is called.
type method struct {
	Rounds int           `json:"rounds"` // of SHA-256: CPU work is an amount, not a time, for tracing must not take a part of it away
	Wait   time.Duration `json:"wait"`   // ns, without CPU
	Answer int           `json:"answer"` // bytes
	Errors float64       `json:"errors"` // share of the answers that are errors
	Steps  []step        `json:"steps"`
}

// step is a call, or several steps.
type step struct {
	Node    string `json:"node,omitempty"`
	Method  string `json:"method,omitempty"`
	Request int    `json:"request,omitempty"` // bytes
	AtOnce  []step `json:"at_once,omitempty"`
	InTurn  []step `json:"in_turn,omitempty"`
	Times   int    `json:"times"`

	Background bool `json:"background"` // a call that is not awaited before the answer
}

// peer is a node that is called.
type peer struct {
	Protocol  string         `json:"protocol"`  // also redis, memcached or mongodb
	Addresses []string       `json:"addresses"` // one a replica
	Store     bool           `json:"store"`
	Answers   map[string]int `json:"answers"` // of a real store: the bytes that each method reads
}

func readPlan(file string) (plan, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return plan{}, fmt.Errorf("reading the plan: %w", err)
	}
	var p plan
	if err := json.Unmarshal(text, &p); err != nil {
		return plan{}, fmt.Errorf("reading the plan %s: %w", file, err)
	}
	return p, nil
}
