package shell

// Proxies of the user's, and what they are not to stand in front of.

import (
	"slices"
	"strings"
)

// here are the names of this machine for programs that ask whether a proxy is in the way.
var here = []string{"127.0.0.1", "localhost", "::1"}

// PastProxies is an environment in which no proxy stands between a program and this machine: spans for a receiver here, and
// requests between the processes of a run, would go to the user's proxy otherwise. What is there stays.
func PastProxies(env []string) []string {
	out := slices.Clone(env)
	at := func(name string) int {
		return slices.IndexFunc(out, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
	}
	// Some programs read the one name and some the other: where the user has set one, the other says the same.
	lower, upper := at("no_proxy"), at("NO_PROXY")
	switch {
	case lower < 0 && upper < 0:
		out = append(out, "no_proxy=", "NO_PROXY=")
	case lower < 0:
		out = append(out, "no_proxy="+strings.TrimPrefix(out[upper], "NO_PROXY="))
	case upper < 0:
		out = append(out, "NO_PROXY="+strings.TrimPrefix(out[lower], "no_proxy="))
	}
	for _, name := range []string{"no_proxy", "NO_PROXY", "no_grpc_proxy"} { // gRPC's own wins over the others where it is set
		if i := at(name); i >= 0 {
			out[i] = name + "=" + withHere(strings.TrimPrefix(out[i], name+"="))
		}
	}
	return out
}

// withHere is a list of hosts, and this machine.
func withHere(list string) string {
	var hosts []string
	for _, host := range strings.Split(list, ",") {
		if host = strings.TrimSpace(host); host != "" {
			hosts = append(hosts, host)
		}
	}
	if slices.Contains(hosts, "*") {
		return list
	}
	for _, host := range here {
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return strings.Join(hosts, ",")
}
