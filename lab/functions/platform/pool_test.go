package platform

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Each line is an event, and behind the arrow what is to be done then. An environment is its number.
var stories = map[string]string{
	"a warm environment serves one after the other": `
		invoke a            -> start 1
		ready 1             -> give 1 a
		answer 1 a          -> reply a 200
		ready 1             ->
		invoke b            -> give 1 b
		answer 1 b          -> reply b 200`,
	"one environment is the most by default": `
		invoke a            -> start 1
		invoke b            ->
		ready 1             -> give 1 a
		answer 1 a          -> reply a 200
		ready 1             -> give 1 b`,
	"as many environments as wanted, and no more": `
		invoke a 2          -> start 1
		invoke b 2          -> start 2
		invoke c 2          ->
		ready 2             -> give 2 a
		ready 1             -> give 1 b
		answer 1 b          -> reply b 200
		ready 1             -> give 1 c`,
	"fewer wanted end those that are idle": `
		invoke a 2          -> start 1
		invoke b 2          -> start 2
		ready 1             -> give 1 a
		ready 2             -> give 2 b
		answer 1 a          -> reply a 200
		answer 2 b          -> reply b 200
		ready 1             ->
		ready 2             ->
		invoke c 1          -> end 1, give 2 c`,
	"a cold start has an environment of its own": `
		invoke a            -> start 1
		ready 1             -> give 1 a
		answer 1 a          -> reply a 200
		ready 1             ->
		invoke b cold       -> start 2
		invoke c            -> give 1 c
		ready 2             -> give 2 b
		answer 2 b          -> reply b 200
		ready 2             -> linger 2
		ready 2             ->
		linger 2            -> end 2
		linger 2            ->`,
	"frozen from its answer to its next invocation": `
		invoke a freeze     -> start 1
		ready 1             -> give 1 a
		answer 1 a          -> reply a 200
		ready 1             -> freeze 1
		invoke b freeze     -> thaw 1, give 1 b
		answer 1 b          -> reply b 200
		ready 1             -> freeze 1
		invoke c            -> thaw 1, give 1 c
		answer 1 c          -> reply c 200
		ready 1             ->`,
	"not frozen where the next one waits": `
		invoke a freeze     -> start 1
		invoke b freeze     ->
		ready 1             -> give 1 a
		answer 1 a          -> reply a 200
		ready 1             -> give 1 b`,
	"one that dies is told, and the next has a new one": `
		invoke a            -> start 1
		invoke b            ->
		ready 1             -> give 1 a
		die 1               -> reply a 502, end 1, start 2
		ready 2             -> give 2 b`,
	"one that dies while it starts is told once": `
		invoke a            -> start 1
		die 1               -> reply a 502, end 1
		invoke b            -> start 2
		unable 2            -> reply b 502, end 2
		die 2               ->
		invoke c cold       -> start 3
		die 3               -> reply c 502, end 3`,
	"one that dies idle is nobody's failure": `
		invoke a            -> start 1
		ready 1             -> give 1 a
		answer 1 a          -> reply a 200
		ready 1             ->
		die 1               -> end 1
		invoke b            -> start 2`,
	"a deadline is the invocation's, and what follows its answer has it too": `
		invoke a            -> start 1
		ready 1             -> give 1 a
		late 1 a            -> reply a 502, end 1
		invoke b            -> start 2
		ready 2             -> give 2 b
		answer 2 b          -> reply b 200
		invoke c            ->
		late 2 b            -> end 2, start 3
		ready 3             -> give 3 c
		answer 3 c          -> reply c 200
		ready 3             ->
		late 3 c            ->`,
	"who has gone is not served; what runs goes on": `
		invoke a            -> start 1
		invoke b            ->
		left b              ->
		ready 1             -> give 1 a
		left a              ->
		answer 1 a          -> reply a 200
		ready 1             ->
		invoke c cold       -> start 2
		left c              -> end 2
		ready 2             -> refused`,
	"nothing is answered twice, nor for another": `
		invoke a            -> start 1
		answer 1 a          -> refused
		ready 1             -> give 1 a
		ready 1             -> refused
		answer 1 b          -> refused
		answer 1 a          -> reply a 200
		answer 1 a          -> refused
		unable 1            -> refused`,
}

func TestPool(t *testing.T) {
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			s := newStory()
			for line := range strings.Lines(strings.TrimSpace(story)) {
				event, want, _ := strings.Cut(line, "->")
				if got := s.tell(t, strings.Fields(event)); got != strings.TrimSpace(want) {
					t.Fatalf("%s: it is to be done %q, want %q", strings.TrimSpace(event), got, strings.TrimSpace(want))
				}
			}
		})
	}
}

// Who waits while cold environments take all places gets one when the first of them goes: after its answer, or as its client does.
func TestPoolMakesRoom(t *testing.T) {
	for _, goes := range []string{"linger 1", "left c1"} {
		s := newStory()
		for i := range maxEnvironments {
			s.tell(t, []string{"invoke", fmt.Sprint("c", i+1), "cold"})
		}
		if got := s.tell(t, []string{"invoke", "a"}); got != "" {
			t.Fatalf("beyond the most: %q", got)
		}
		if got := s.tell(t, strings.Fields(goes)); got != "end 1, start 101" {
			t.Errorf("%s: it is to be done %q, want an environment for the one that waits", goes, got)
		}
	}
}

// Neither environments nor those that wait grow without end.
func TestPoolIsBounded(t *testing.T) {
	s := newStory()
	for i := range maxWaiting {
		s.tell(t, []string{"invoke", fmt.Sprint("w", i), "1"})
	}
	if got := s.tell(t, []string{"invoke", "more"}); got != "reply more 429" {
		t.Errorf("one more that waits: %q", got)
	}
	for i := range maxEnvironments - 1 {
		if got := s.tell(t, []string{"invoke", fmt.Sprint("c", i), "cold"}); !strings.HasPrefix(got, "start ") {
			t.Fatalf("cold start %d: %q", i, got)
		}
	}
	if got := s.tell(t, []string{"invoke", "colder", "cold"}); got != "reply colder 429" {
		t.Errorf("one more environment: %q", got)
	}
}

type story struct {
	pool         *pool
	invocations  map[string]*invocation
	environments map[int]*environment
}

func newStory() *story {
	return &story{pool: &pool{function: Function{Name: "f", Memory: 128, Timeout: time.Second}}, invocations: map[string]*invocation{}, environments: map[int]*environment{}}
}

// tell has an event happen, and returns what is to be done in words.
func (s *story) tell(t *testing.T, words []string) string {
	t.Helper()
	ok := true
	e := s.environments[number(words[1])]
	switch words[0] {
	case "invoke":
		i := &invocation{id: words[1], ask: ask{environments: 1}}
		for _, want := range words[2:] {
			switch want {
			case "cold":
				i.ask.cold = true
			case "freeze":
				i.ask.freeze = true
			default:
				i.ask.environments = number(want)
			}
		}
		s.invocations[i.id] = i
		s.pool.invoke(i)
	case "ready":
		ok = s.pool.ready(e)
	case "answer":
		ok = s.pool.answered(e, words[2], result{status: 200})
	case "unable":
		ok = s.pool.unable(e, failure("Runtime.ImportModuleError", "no such module"))
	case "die":
		s.pool.died(e, func(i *invocation) result { return Ended{Status: "exit status 3"}.dead(s.pool.function, i) })
	case "late":
		s.pool.late(e, s.invocations[words[2]])
	case "linger":
		s.pool.lingered(e)
	case "left":
		s.pool.left(s.invocations[words[1]])
	default:
		t.Fatalf("no event is called %q", words[0])
	}
	if !ok {
		return "refused"
	}
	var out []string
	for _, a := range s.pool.take() {
		text := string(a.do)
		if a.environment != nil {
			s.environments[a.environment.id] = a.environment
			text += fmt.Sprint(" ", a.environment.id)
		}
		if a.invocation != nil {
			text += " " + a.invocation.id
		}
		if a.do == doReply {
			text += fmt.Sprint(" ", a.result.status)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
