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

// served is a call that is served.
type servedCall struct {
	call int32
	slot int
}

// guess goes through the calls of a server.
type guess struct {
	*work
	known    *Programs
	effort   effort
	serving  []servedCall
	now      []int32 // the calls of serving
	free     []int   // slots
	accounts []account
	spare    []account
	choices  []choice
	options  []option // the likeliest first
}

// option is a way for an account to go on.
type option struct {
	from  int
	slot  int // nobody: no parent
	call  int32
	place place
	score float64
	hash  uint64
}

// likely finds the likeliest parents of the open calls of a server, the first ones up to a number, and returns when it ended.
func (w *work) likely(s *server, known *Programs, effort effort, most int) (end int64) {
	g := &guess{work: w, known: known, effort: effort, accounts: []account{{choices: nobody}}}
	served := s.served
	for _, i := range s.made {
		for len(served) > 0 && served[0] < i {
			g.begin(served[0])
			served = served[1:]
		}
		g.answer(w.entries[i].begin)
		if w.isOpen(i) {
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

func (w *work) isOpen(i int32) bool {
	s := w.found[i].state
	return s == open || s >= guessed
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
	p := place{at: g.known.begin(e.method), pace: pace{e.ready, e.ready}}.hashed(slot)
	for a := range g.accounts {
		of := &g.accounts[a]
		if slot == len(of.places) {
			of.places = append(of.places, p)
		}
		of.places[slot] = p
		of.hash ^= p.hash
	}
	g.serving, g.now = append(g.serving, servedCall{i, slot}), append(g.now, i)
}

// answer ends the calls that were answered before a time.
func (g *guess) answer(before int64) {
	kept := 0
	for n, s := range g.serving {
		e := &g.entries[s.call]
		if e.end >= before {
			g.serving[kept], g.now[kept] = g.serving[n], g.now[n]
			kept++
			continue
		}
		for a := range g.accounts {
			of := &g.accounts[a]
			p := &of.places[s.slot]
			of.score += g.known.answers(e, p)
			of.hash ^= p.hash
		}
		g.free = append(g.free, s.slot)
	}
	g.serving, g.now = g.serving[:kept], g.now[:kept]
	if kept == 0 && len(g.accounts) > 1 {
		g.take()
	}
}

// answers is the logarithm of the chance that a call answers where an account has it.
func (p *Programs) answers(e *entry, at *place) float64 {
	if at.at < 0 || e.open {
		return 0
	}
	of := &p.of[e.method].states[at.at].ends
	if of.density == nil {
		return ofEarlyEnd
	}
	gap, _ := at.gap(e.end)
	return float64(of.chance + of.density[step(gap)])
}

// makes is the logarithm of the chance that a served call makes another one, and its state then.
func (p *Programs) makes(e *entry, at *place, made *entry) (score float64, to int32) {
	gap, busy := at.gap(made.begin)
	if at.at < 0 {
		return float64(ofUnlearnt + unknown[step(gap)]), at.at
	}
	s := &p.of[e.method].states[at.at]
	i := s.look(made.method, busy)
	if i == nobody || s.next[i].density == nil {
		return ofSurprise, lostWay
	}
	return float64(s.next[i].chance + s.next[i].density[step(gap)]), s.next[i].to
}

// then is a place once a call is made.
func (p *place) then(to int32, made *entry, slot int) place {
	return place{at: to, pace: pace{made.begin, max(p.free, made.end)}}.hashed(slot)
}

// make chooses the parent of a call, or follows a certain one.
func (g *guess) make(i int32) {
	e, f := &g.entries[i], &g.found[i]
	if g.isOpen(i) {
		g.options = g.options[:0]
		among, _ := kin(g.entries, g.now, e)
		for a := range g.accounts {
			g.offer(a, e, among)
		}
		g.choose(i)
		return
	}
	at := slices.Index(g.now, f.parent)
	if at < 0 {
		return // nobody made it, or a call that was answered before
	}
	slot := g.serving[at].slot
	for a := range g.accounts {
		of := &g.accounts[a]
		p := &of.places[slot]
		score, to := g.known.makes(&g.entries[f.parent], p, e)
		next := p.then(to, e, slot)
		of.hash ^= p.hash ^ next.hash
		of.score += score
		*p = next
	}
}

// offer lists how an account may go on.
func (g *guess) offer(a int, e *entry, among kinship) {
	of := &g.accounts[a]
	g.propose(option{from: a, slot: nobody, call: nobody, score: of.score + ofStray, hash: of.hash})
	for _, s := range g.serving {
		caller := &g.entries[s.call]
		if !among.has(caller, e) {
			continue
		}
		p := &of.places[s.slot]
		score, to := g.known.makes(caller, p, e)
		if score == ofSurprise {
			continue
		}
		if e.end > caller.end {
			score += ofLate
		}
		if score += of.score; !g.full() || score > g.options[len(g.options)-1].score {
			next := p.then(to, e, s.slot)
			g.propose(option{a, s.slot, s.call, next, score, of.hash ^ p.hash ^ next.hash})
		}
	}
}

// full reports whether there are as many options as are kept.
func (g *guess) full() bool {
	return len(g.options) >= max(leastAccounts, min(g.effort.accounts, g.effort.places/max(1, len(g.serving))))
}

// propose puts an option among the likeliest. Of those that come to the same the likeliest stays.
func (g *guess) propose(o option) {
	same := slices.IndexFunc(g.options, func(other option) bool { return other.hash == o.hash })
	switch {
	case same >= 0 && g.options[same].score >= o.score:
		return
	case same >= 0:
		g.options = slices.Delete(g.options, same, same+1)
	case g.full():
		last := len(g.options) - 1
		if g.options[last].score >= o.score {
			return
		}
		g.options = g.options[:last]
	}
	at := len(g.options)
	for at > 0 && g.options[at-1].score < o.score {
		at--
	}
	g.options = slices.Insert(g.options, at, o)
}

// choose goes on with the likeliest options.
func (g *guess) choose(i int32) {
	next := g.spare[:0]
	for n := range g.options {
		next = g.goOn(next, i, &g.options[n])
	}
	g.accounts, g.spare = next, g.accounts
	if len(g.choices) > mostChoices {
		g.take()
	}
}

// goOn adds an account, in the memory of one that is over.
func (g *guess) goOn(next []account, i int32, o *option) []account {
	from := &g.accounts[o.from]
	if len(next) < cap(next) {
		next = next[:len(next)+1]
	} else {
		next = append(next, account{})
	}
	to := &next[len(next)-1]
	to.places = append(to.places[:0], from.places...)
	to.score, to.hash = o.score, o.hash
	if o.slot != nobody {
		to.places[o.slot] = o.place
	}
	g.choices = append(g.choices, choice{i, o.call, from.choices})
	to.choices = int32(len(g.choices) - 1)
	return next
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
		g.found[c.call] = found{c.parent, guessed}
		if c.parent == nobody {
			g.found[c.call].state = vague
		}
	}
	g.choices = g.choices[:0]
	best.choices, best.score = nobody, 0
	g.accounts[0], *best = *best, g.accounts[0]
	g.accounts = g.accounts[:1]
}
