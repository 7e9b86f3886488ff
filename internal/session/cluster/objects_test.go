package cluster

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/run/afar"
)

// text is an object as the API gets it.
func text(t *testing.T, o object) string {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestObjects(t *testing.T) {
	of := names{id: "1a2b", image: "tracetax:1"}
	job := text(t, harnessJob(of, "n1", time.Hour))
	of.owner = "uid-of-the-job"
	app := afar.Pod{ID: 3, Run: "001-otel-1", Name: "shop", Image: "shop:1.2", Args: []string{"--port", "8080", "$(HOME)"}, Own: true,
		Env: []string{"A=b=c", "PRICE=$(5)"}, CPUs: 0.5, Memory: 1 << 20}
	own := text(t, appPod(of, "n1", app))
	app.Own, app.CPUs, app.Memory, app.Dir = false, 0, 0, "/srv"
	whole := text(t, appPod(of, "n1", app))
	for name, row := range map[string]struct {
		in        string
		has, lack []string
	}{
		"the Job ends, and is removed with all it owns": {job, []string{
			`"backoffLimit":0`, `"ttlSecondsAfterFinished":0`, `"activeDeadlineSeconds":3600`, `"stdinOnce":true`, `"automountServiceAccountToken":false`,
			`"runAsNonRoot":true`, `"drop":["ALL"]`, `"values":["n1"]`, `"name":"tracetax-1a2b"`,
		}, []string{"ownerReferences", "finalizers", "privileged"}},
		"the meter sees the node's cgroups alone, and changes nothing": {text(t, meterPod(of, "n1", "secret")), []string{
			`"hostPath":{"path":"/sys/fs/cgroup"`, `"readOnly":true`, `"uid":"uid-of-the-job"`, `"allowPrivilegeEscalation":false`,
		}, []string{"hostPID", `"privileged"`}},
		"a program behind the image's own command": {own, []string{
			`"args":["--port","8080","$$(HOME)"]`, `{"name":"A","value":"b=c"}`, `{"name":"PRICE","value":"$$(5)"}`, `"cpu":"500m"`, `"memory":"1048576"`,
			`"name":"tracetax-1a2b-3"`, `"restartPolicy":"Never"`, `"enableServiceLinks":false`, `"uid":"uid-of-the-job"`,
		}, []string{`"command"`, "workingDir", "Probe"}},
		"a program with a command of its own": {whole, []string{`"command":["--port"`, `"workingDir":"/srv"`, `"resources":{}`}, []string{`"args"`}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, part := range row.has {
				if !strings.Contains(row.in, part) {
					t.Errorf("%s lacks %s", row.in, part)
				}
			}
			for _, part := range row.lack {
				if strings.Contains(row.in, part) {
					t.Errorf("%s has %s", row.in, part)
				}
			}
		})
	}
}
