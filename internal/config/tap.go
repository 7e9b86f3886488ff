// A tap before a hop counts every span that goes to it.

package config

// tapService is the service that counts and passes on.
const tapService = "tap"

// tapOf is the tap before a hop; false where none is asked for.
func (s *source) tapOf(n *node, hop Process) (Process, bool) {
	if n.kind != mapping || len(n.entries) == 0 {
		return Process{}, false
	}
	at := n.entries[0].value.get("tap")
	if at == nil || s.oneOf(at, "tap", "on", "off") != "on" {
		return Process{}, false
	}
	return s.hopOf(&node{kind: scalar, text: tapService, at: at.at}, at, hop.Name+"-"+tapService, passing)
}
