package logs

import (
	"maps"
	"regexp"
	"slices"
)

// Instrumented are the libraries that a log names: what the group "name" of a pattern holds, each once, in the order of
// their names.
func Instrumented(pattern *regexp.Regexp, lines func(func(string) error) error) ([]string, error) {
	group := pattern.SubexpIndex("name")
	names := map[string]bool{}
	err := lines(func(line string) error {
		if found := pattern.FindStringSubmatch(line); found != nil {
			names[found[group]] = true
		}
		return nil
	})
	return slices.Sorted(maps.Keys(names)), err
}
