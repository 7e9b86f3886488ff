// What a hop holds back: how long, and how many traces at once.

package config

import (
	"strconv"
	"time"
)

// MeaningRoom is the meaning of a service's setting which says how many traces it holds.
const MeaningRoom = "room"

// Waits is the longest time that one of the hop's settings says that it holds a span.
func (p Process) Waits() time.Duration {
	var longest time.Duration
	p.eachSetting("delay", func(value string) {
		if d, err := time.ParseDuration(value); err == nil {
			longest = max(longest, d)
		}
	})
	return longest
}

// Room is how many traces the hop holds at once; 0 where it does not say.
func (p Process) Room() int {
	room := 0
	p.eachSetting(MeaningRoom, func(value string) {
		if n, err := strconv.Atoi(value); err == nil {
			room = n
		}
	})
	return room
}

// eachSetting gives the values of the hop's settings of a meaning that say something beside the others.
func (p Process) eachSetting(meaning string, take func(value string)) {
	if p.Service == nil {
		return
	}
	values := p.Service.values(p.Settings)
	mute := p.Service.mute(values)
	for _, set := range p.Service.Settings {
		if set.Meaning == meaning && (mute[set.Name] == "" || p.Settings[set.Name] != "") {
			take(values[set.Name])
		}
	}
}
