package tree

import "slices"

// The likeliest parents of the calls that are open, of one server at a time. Its calls are gone through in the order of time. What
// has been chosen so far is an account; of several accounts the likeliest are kept, for what comes later may contradict one: a call
// that is served answers where its program ends, soon after its last step.

const (
	leastAccounts = 2
	mostChoices   = 1 << 16 // that are kept open; then the likeliest account is taken
)

// effort bounds the accounts that are kept. The more calls are served, the fewer: all together have so many places.
type effort struct{ accounts, places int }

// Where it is learnt what methods do, more accounts are kept than later.
var (
	whileLearning = effort{32, 1024}
	afterwards    = effort{8, 128}
)

// Logarithms of densities, per ns, of what no program has. A gap of its program has -10 to -18.
const (
	ofUnlearnt = -6  // added to that of the gap, by a call of a method without a program
	ofStray    = -30 // by nobody that is served
	ofSurprise = -33 // by a call that has a program without it: less likely than by nobody
	ofEarlyEnd = -28 // an answer before the program ends
	ofLate     = -12 // added where a call would be answered after the one that made it
)

// lostWay is the state of a call that did what its program has not.
const lostWay = -2

// place is a call that is served, in an account.
type place struct {
	at int32 // state of its program, nobody without one, or lostWay
	pace
	hash uint64
}

func (p place) hashed(slot int) place {
	p.hash = scatter(scatter(scatter(uint64(slot)<<32|uint64(uint32(p.at)))^uint64(p.free)) ^ uint64(p.asked))
	return p
}

// account is a choice of parents for the calls so far.
type account struct {
	score   float64
	places  []place
	hash    uint64 // of the places of those that are served: accounts that are alike in them have one future
	choices int32  // the last one
}

// choice is one parent that an account chose.
type choice struct {
	call, parent int32
	before       int32
}

// guess goes through the calls of a server.
type guess struct {
	*work
	known    *Programs
	effort   effort
	now      []int32 // the calls that are served
	free     []int   // slots
	accounts []account
	spare    []account
	choices  []choice
	options  []option // the likeliest first
}

// option is a way for an account to go on.
type option struct {
	from  int
	call  int32 // nobody: no parent
	place place
	score float64
	hash  uint64
}

// likely finds the likeliest parents of the open calls of a server, the first ones up to a number, and returns when it ended.
func (w *work) likely(s *server, known *Programs, effort effort, most int) (end int64) {
	g := &guess{work: w, known: known, effort: effort, accounts: []account{{choices: nobody}}}
	served := s.served
	for _, i := range served {
		w.entries[i].slot = nobody
	}
	for _, i := range s.made {
		for len(served) > 0 && served[0] < i {
			g.begin(served[0])
			served = served[1:]
		}
		g.answer(w.entries[i].begin)
		if w.open[i] {
			if most == 0 {
				break
			}
			most--
		}
		g.make(i)
		end = w.entries[i].begin
	}
	g.take()
	return end
}

// begin notes a call that is served from now on.
func (g *guess) begin(i int32) {
	e := &g.entries[i]
	g.answer(e.begin)
	slot := len(g.accounts[0].places)
	if n := len(g.free); n > 0 {
		slot = g.free[n-1]
		g.free = g.free[:n-1]
	}
	e.slot = slot
	p := place{pace: pace{e.ready, e.ready}}
	if !g.known.known(e.method) {
		p.at = nobody
	}
	p = p.hashed(slot)
	for a := range g.accounts {
		of := &g.accounts[a]
		if slot == len(of.places) {
			of.places = append(of.places, p)
		}
		of.places[slot] = p
		of.hash ^= p.hash
	}
	g.now = append(g.now, i)
}

// answer ends the calls that were answered before a time.
func (g *guess) answer(before int64) {
	g.now = slices.DeleteFunc(g.now, func(i int32) bool {
		e := &g.entries[i]
		if e.end >= before {
			return false
		}
		for a := range g.accounts {
			of := &g.accounts[a]
			p := &of.places[e.slot]
			of.score += g.known.answers(e, p)
			of.hash ^= p.hash
		}
		g.free = append(g.free, e.slot)
		e.slot = nobody
		return true
	})
	if len(g.now) == 0 && len(g.accounts) > 1 {
		g.take()
	}
}

// next is the logarithm of the density that a served call at a place of its program makes another one at a time, or answers then: a
// call of nobody. It also returns its state then. ok is false where its program has no such thing there.
func (p *Programs) next(e *entry, at *place, method int32, then int64) (score float64, to int32, ok bool) {
	gap, busy := at.gap(then)
	s := &p.of[e.method].states[at.at]
	i := s.look(method, busy && method != nobody)
	if i == nobody || s.next[i].density == nil {
		return 0, lostWay, false
	}
	t := &s.next[i]
	return float64(t.chance + t.density[step(gap)]), t.to, true
}

// answers is that a call answers where an account has it.
func (p *Programs) answers(e *entry, at *place) float64 {
	if at.at < 0 || e.unended {
		return 0
	}
	if score, _, ok := p.next(e, at, nobody, e.end); ok {
		return score
	}
	return ofEarlyEnd
}

// makes is that a served call makes another one, and its state then.
func (p *Programs) makes(e *entry, at *place, made *entry) (score float64, to int32) {
	if at.at < 0 {
		gap, _ := at.gap(made.begin)
		return float64(ofUnlearnt + unknown[step(gap)]), at.at
	}
	if score, to, ok := p.next(e, at, made.method, made.begin); ok {
		return score, to
	}
	return ofSurprise, lostWay
}

// then is a place once a call is made.
func (p *place) then(to int32, made *entry, slot int) place {
	return place{at: to, pace: pace{made.begin, max(p.free, made.end)}}.hashed(slot)
}

// make chooses the parent of a call, or follows a certain one.
func (g *guess) make(i int32) {
	e := &g.entries[i]
	if g.open[i] {
		g.options = g.options[:0]
		among := g.can(g.now, e)
		for a := range g.accounts {
			g.offer(a, e, among)
		}
		g.choose(i)
		return
	}
	parent := g.found[i].Index
	if parent == nobody || g.entries[parent].slot == nobody {
		return // nobody made it, or a call that was answered before
	}
	caller := &g.entries[parent]
	for a := range g.accounts {
		of := &g.accounts[a]
		p := &of.places[caller.slot]
		score, to := g.known.makes(caller, p, e)
		next := p.then(to, e, caller.slot)
		of.hash ^= p.hash ^ next.hash
		of.score += score
		*p = next
	}
}

// offer lists how an account may go on.
func (g *guess) offer(a int, e *entry, among []int32) {
	of := &g.accounts[a]
	g.propose(option{from: a, call: nobody, score: of.score + ofStray, hash: of.hash})
	for _, i := range among {
		caller := &g.entries[i]
		p := &of.places[caller.slot]
		score, to := g.known.makes(caller, p, e)
		if score == ofSurprise {
			continue
		}
		if e.end > caller.end {
			score += ofLate
		}
		if score += of.score; !g.full() || score > g.options[len(g.options)-1].score {
			next := p.then(to, e, caller.slot)
			g.propose(option{a, i, next, score, of.hash ^ p.hash ^ next.hash})
		}
	}
}

// full reports whether there are as many options as are kept.
func (g *guess) full() bool {
	return len(g.options) >= max(leastAccounts, min(g.effort.accounts, g.effort.places/max(1, len(g.now))))
}

// propose puts an option among the likeliest. Of those that come to the same the likeliest stays.
func (g *guess) propose(o option) {
	same := slices.IndexFunc(g.options, func(other option) bool { return other.hash == o.hash })
	at := same
	if same < 0 && g.full() {
		at = len(g.options) - 1
	}
	if at >= 0 {
		if g.options[at].score >= o.score {
			return
		}
		g.options = slices.Delete(g.options, at, at+1)
	}
	at = len(g.options)
	for at > 0 && g.options[at-1].score < o.score {
		at--
	}
	g.options = slices.Insert(g.options, at, o)
}

// choose goes on with the likeliest options, in the memory of accounts that are over.
func (g *guess) choose(i int32) {
	next := g.spare[:min(len(g.options), cap(g.spare))]
	next = append(next, make([]account, len(g.options)-len(next))...)
	for n := range g.options {
		o, to := &g.options[n], &next[n]
		from := &g.accounts[o.from]
		to.places = append(to.places[:0], from.places...)
		to.score, to.hash, to.choices = o.score, o.hash, int32(len(g.choices))
		if o.call != nobody {
			to.places[g.entries[o.call].slot] = o.place
		}
		g.choices = append(g.choices, choice{i, o.call, from.choices})
	}
	g.accounts, g.spare = next, g.accounts
	if len(g.choices) > mostChoices {
		g.take()
	}
}

// take takes the likeliest account for true.
func (g *guess) take() {
	best := &g.accounts[0]
	for a := range g.accounts {
		if g.accounts[a].score > best.score {
			best = &g.accounts[a]
		}
	}
	for at := best.choices; at != nobody; at = g.choices[at].before {
		c := &g.choices[at]
		g.found[c.call] = Parent{int(c.parent), Likely}
		if c.parent == nobody {
			g.found[c.call].How = Unknown
		}
	}
	g.choices = g.choices[:0]
	best.choices, best.score = nobody, 0
	g.accounts[0], *best = *best, g.accounts[0]
	g.accounts = g.accounts[:1]
}
