// What a plan sends to: the receivers of the sink that its texts name.

package prepare

import (
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/protocol"
)

// Exports reports whether a variant is told where the sink is, or writes its spans to
// files that are counted.
func Exports(p *config.Plan) bool {
	if p.Silent {
		return false
	}
	if len(p.Files) > 0 {
		return true
	}
	return p.NamesSink()
}

// Protocols are the protocols besides those that every sink serves that a plan names.
func Protocols(p *config.Plan) []protocol.Name {
	var words []string
	for _, text := range p.Texts() {
		words = append(words, config.Placeholders(text)...)
	}
	var out []protocol.Name
	for _, r := range protocol.Named(words) {
		if !r.Always {
			out = append(out, r.Name)
		}
	}
	return out
}
