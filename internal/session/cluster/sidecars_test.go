package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// A program has begun when all containers beside it have; tracetax's own are none of them. One that fails, or comes again, ends the run.
func TestSidecars(t *testing.T) {
	running, waiting, ended := `"running": {}`, `"waiting": {"reason": "ContainerCreating"}`, `"terminated": {"exitCode": %d, "reason": "Error"}`
	began := []afar.Sidecar{{Name: "proxy", Container: "2"}, {Name: "log", Container: "4"}}
	for name, row := range map[string]struct {
		proxy, log, id string
		beside         []string
		all            bool
		lost           string
	}{
		"all run":              {running, running, "4", []string{"proxy", "log"}, true, ""},
		"one waits":            {running, waiting, "4", []string{"proxy"}, false, ""},
		"one is done":          {running, fmt.Sprintf(ended, 0), "4", []string{"proxy"}, true, ""},
		"one fails":            {running, fmt.Sprintf(ended, 3), "4", []string{"proxy"}, true, "container log, beside the program, has ended (Error, status 3)"},
		"one is another one":   {running, running, "5", []string{"proxy", "log"}, true, "container log, beside the program, ended and was started again"},
		"the first fails":      {fmt.Sprintf(ended, 1), running, "4", []string{"log"}, true, "container proxy"},
		"nothing has a status": {"", "", "", nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			statuses := fmt.Sprintf(`"initContainerStatuses": [{"name": "proxy", "containerID": "x://2", "state": {%s}}, {"name": "tracetax-meter", "state": {%s}}],
 "containerStatuses": [{"name": "shop", "containerID": "x://3", "state": {%s}}, {"name": "log", "containerID": "x://%s", "state": {%s}}]`,
				row.proxy, waiting, running, row.id, row.log)
			if row.id == "" {
				statuses = ""
			}
			var pod kubernetes.Pod
			if err := json.Unmarshal([]byte(`{"spec": {"initContainers": [{"name": "tracetax-meter", "restartPolicy": "Always"},
 {"name": "proxy", "restartPolicy": "Always"}], "containers": [{"name": "shop"}, {"name": "log"}]}, "status": {`+statuses+`}}`), &pod); err != nil {
				t.Fatal(err)
			}
			beside, all := sidecars(pod, "shop")
			var names []string
			for _, one := range beside {
				names = append(names, one.Name)
			}
			if !slices.Equal(names, row.beside) || all != row.all {
				t.Errorf("beside it are %q, all of them: %t", names, all)
			}
			why := lost(pod, "shop", began)
			if row.lost == "" && why != "" || !strings.Contains(why, row.lost) {
				t.Errorf("it says %q, not %q", why, row.lost)
			}
		})
	}
}
