// Local addresses to connect from, as people write them.

package load

import (
	"fmt"
	"net/netip"
	"strings"
)

// mostSources bounds a range of addresses.
const mostSources = 1024

// Sources expands addresses and ranges of them (127.0.0.2-127.0.0.9) to Task.Sources.
func Sources(list []string) ([]string, error) {
	var sources []string
	for _, item := range list {
		from, to, ranged := strings.Cut(strings.TrimSpace(item), "-")
		if !ranged {
			to = from
		}
		first, err := netip.ParseAddr(from)
		if err != nil {
			return nil, fmt.Errorf("%q: want an address, or two with - between them: %w", item, err)
		}
		last, err := netip.ParseAddr(to)
		if err != nil || last.BitLen() != first.BitLen() || last.Less(first) {
			return nil, fmt.Errorf("%q: want two addresses of one kind, the lower one first", item)
		}
		for a := first; a.IsValid() && !last.Less(a); a = a.Next() {
			if len(sources) == mostSources {
				return nil, fmt.Errorf("%q: more than %d addresses", item, mostSources)
			}
			sources = append(sources, a.String())
		}
	}
	return sources, nil
}
