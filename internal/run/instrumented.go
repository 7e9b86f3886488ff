// What the tracer says that it instruments.
package run

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// lookAtInstrumented notes the libraries that the tracer has named in the logs of the
// processes, which have ended: some are loaded late.
func (s *stage) lookAtInstrumented() error {
	if s.request.Plan.Tells == "" {
		return nil
	}
	pattern, err := regexp.Compile(s.request.Plan.Tells)
	if err != nil {
		return fmt.Errorf("the tracer's pattern for what it instruments: %w", err)
	}
	group := pattern.SubexpIndex("name")
	for _, app := range s.apps {
		names := map[string]bool{}
		err := app.Log().Lines(func(line string) error {
			if found := pattern.FindStringSubmatch(line); found != nil {
				names[found[group]] = true
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("reading what is instrumented in process %s: %w", app.Name(), err)
		}
		if len(names) == 0 {
			continue
		}
		if s.record.Tracer.Instrumented == nil {
			s.record.Tracer.Instrumented = map[string][]string{}
		}
		s.record.Tracer.Instrumented[app.Name()] = slices.Sorted(maps.Keys(names))
	}
	return nil
}
