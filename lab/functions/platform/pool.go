package platform

import (
	"fmt"
	"slices"
	"time"
)

// This file is pure: which invocation goes to which environment of a function, and what becomes of both. Events go in,
// actions come out; who carries them out does so in their order.

// maxWaiting is the most invocations of a function that wait for an environment.
const maxWaiting = 1000

// state is the state of an environment.
type state int

const (
	starting state = iota // until its first request for an invocation
	idle                  // it waits for one
	busy                  // it has one
	done                  // it has answered, and has not come for the next
)

// environment is a process with one invocation at a time.
type environment struct {
	id      int
	state   state
	only    *invocation // cold: whom it is for
	current *invocation
	freeze  bool // its last invocation wants it stopped while it is idle
	frozen  bool
	runtime *instance // nil in tests of this file
}

// invocation is one call of a function.
type invocation struct {
	id      string
	ask     ask
	event   []byte
	context string // what the client says of itself, for the function
	trace   string // the trace that it is part of, as X-Ray writes it
	result  chan result
}

// result is the answer to a client.
type result struct {
	status  int
	body    []byte
	timings []string
	failed  bool // the function, not the request
}

// verb is an action.
type verb string

const (
	doStart  verb = "start"
	doGive   verb = "give" // the environment gets the invocation
	doFreeze verb = "freeze"
	doThaw   verb = "thaw"
	doLinger verb = "linger" // it is ended after a while
	doEnd    verb = "end"
	doReply  verb = "reply"
)

// action is one of them, with whom and what it is about.
type action struct {
	do          verb
	environment *environment
	invocation  *invocation
	result      result
}

// pool holds the environments of a function, and who waits for one.
type pool struct {
	function     Function
	environments []*environment
	waiting      []*invocation
	made         int
	actions      []action
}

// take returns what is to be done since it was last called.
func (p *pool) take() []action {
	out := p.actions
	p.actions = nil
	return out
}

func (p *pool) do(what verb, e *environment, i *invocation) {
	p.actions = append(p.actions, action{do: what, environment: e, invocation: i})
}

func (p *pool) reply(i *invocation, r result) {
	p.actions = append(p.actions, action{do: doReply, invocation: i, result: r})
}

// invoke takes in an invocation.
func (p *pool) invoke(i *invocation) {
	switch {
	case i.ask.cold && len(p.environments) >= maxEnvironments:
		p.reply(i, refused(429, "TooManyRequestsException", fmt.Sprintf("%s has %d environments already, which is the most", p.function.Name, maxEnvironments)))
	case i.ask.cold:
		p.start(i)
	case len(p.waiting) >= maxWaiting:
		p.reply(i, refused(429, "TooManyRequestsException", fmt.Sprintf("%d invocations of %s wait already, which is the most", maxWaiting, p.function.Name)))
	default:
		p.waiting = append(p.waiting, i)
		p.shrink(i.ask.environments)
		p.fill()
	}
}

func (p *pool) start(only *invocation) {
	p.made++
	e := &environment{id: p.made, only: only}
	p.environments = append(p.environments, e)
	p.do(doStart, e, nil)
}

// shared are the environments that are for any invocation.
func (p *pool) shared(is func(*environment) bool) []*environment {
	var out []*environment
	for _, e := range p.environments {
		if e.only == nil && is(e) {
			out = append(out, e)
		}
	}
	return out
}

func always(*environment) bool       { return true }
func isIdle(e *environment) bool     { return e.state == idle }
func isStarting(e *environment) bool { return e.state == starting }

// shrink ends idle environments beyond as many as an invocation wants.
func (p *pool) shrink(to int) {
	surplus := len(p.shared(always)) - to
	for _, e := range p.shared(isIdle) {
		if surplus--; surplus < 0 {
			return
		}
		p.end(e)
	}
}

// fill gives those that wait to idle environments, and starts some where they are too few.
func (p *pool) fill() {
	for _, e := range p.shared(isIdle) {
		if len(p.waiting) == 0 {
			return
		}
		p.give(e, p.next())
	}
	for len(p.waiting) > len(p.shared(isStarting)) && len(p.shared(always)) < p.waiting[0].ask.environments && len(p.environments) < maxEnvironments {
		p.start(nil)
	}
}

func (p *pool) next() *invocation {
	i := p.waiting[0]
	p.waiting = p.waiting[1:]
	return i
}

func (p *pool) give(e *environment, i *invocation) {
	if e.frozen {
		e.frozen = false
		p.do(doThaw, e, nil)
	}
	e.state, e.current, e.freeze = busy, i, i.ask.freeze
	p.do(doGive, e, i)
}

// ready takes in that an environment asks for an invocation; false where it has one that it did not answer.
func (p *pool) ready(e *environment) bool {
	if !p.has(e) || e.state == busy {
		return false
	}
	before := e.state
	e.state = idle
	switch {
	case e.only != nil && before == starting:
		p.give(e, e.only)
	case e.only != nil && before == idle: // it lingers
	case e.only != nil:
		p.do(doLinger, e, nil)
	default:
		if p.fill(); e.state == idle && e.freeze && !e.frozen {
			e.frozen = true
			p.do(doFreeze, e, nil)
		}
	}
	return true
}

// answered takes in what became of an invocation; false where the environment does not have it.
func (p *pool) answered(e *environment, id string, r result) bool {
	if !p.has(e) || e.state != busy || e.current.id != id {
		return false
	}
	p.reply(e.current, r)
	e.state, e.current = done, nil
	return true
}

// unable takes in that an environment says that it cannot start.
func (p *pool) unable(e *environment, r result) bool {
	if !p.has(e) || e.state != starting {
		return false
	}
	p.blame(e, func(*invocation) result { return r })
	p.end(e)
	p.fill()
	return true
}

// blame answers the invocation that an environment was started for.
func (p *pool) blame(e *environment, why func(*invocation) result) {
	i := e.only
	if i == nil && len(p.waiting) > 0 {
		i = p.next()
	}
	if i != nil {
		p.reply(i, why(i))
	}
}

// died takes in that an environment's process is no more, or has to go; why is said to whom it had, who may be nobody.
func (p *pool) died(e *environment, why func(*invocation) result) {
	if !p.has(e) {
		return
	}
	switch e.state {
	case busy:
		p.reply(e.current, why(e.current))
	case starting:
		p.blame(e, why)
	}
	p.end(e)
	p.fill()
}

// late takes in that an invocation's time is over. It also is where the environment has answered and not come back: what a
// function does after its answer has the same deadline.
func (p *pool) late(e *environment, i *invocation) {
	if e.current == i || e.state == done {
		p.died(e, func(*invocation) result {
			return failure("Sandbox.Timedout", fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", i.id, p.function.Timeout.Seconds()))
		})
	}
}

// lingered takes in that an environment has lingered for long enough.
func (p *pool) lingered(e *environment) {
	if p.has(e) {
		p.end(e)
		p.fill()
	}
}

// left handles a client that no longer waits for its invocation. One that runs goes on, as with Lambda.
func (p *pool) left(i *invocation) {
	if at := slices.Index(p.waiting, i); at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
	}
	for _, e := range slices.Clone(p.environments) {
		if e.only == i && e.state == starting {
			p.end(e)
		}
	}
	p.fill()
}

func (p *pool) end(e *environment) {
	p.environments = slices.DeleteFunc(p.environments, func(other *environment) bool { return other == e })
	p.do(doEnd, e, nil)
}

func (p *pool) has(e *environment) bool { return slices.Contains(p.environments, e) }

// linger is how long a cold environment stays behind its answer, as Lambda ends none at once: what it sends then arrives.
const linger = time.Second

// startLimit is the longest time until an environment asks for its first invocation.
const startLimit = 30 * time.Second
