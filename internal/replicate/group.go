// This file splits lists into groups.

package replicate

// groupBy splits a list by a key, in the order in which the keys come.
func groupBy[T any](list []T, key func(T) string) [][]T {
	var out [][]T
	place := map[string]int{}
	for _, one := range list {
		i, seen := place[key(one)]
		if !seen {
			i = len(out)
			place[key(one)] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], one)
	}
	return out
}
