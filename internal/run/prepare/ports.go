package prepare

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/process"
)

// FreePorts checks that the ports that a plan names itself, rather than by
// {port}, are free: another program there would answer in the workload's place.
func FreePorts(p *config.Plan) error {
	var errs []error
	checked := map[int]bool{}
	check := func(what, address string) {
		port, fixed := fixedPort(address)
		if !fixed || checked[port] {
			return
		}
		checked[port] = true
		if err := process.PortTaken(port); err != nil {
			errs = append(errs, fmt.Errorf("%s is to be found at %s: %w", what, address, err))
		}
	}
	for _, one := range p.Processes {
		check("process "+one.Name, one.Ready)
	}
	for _, one := range p.Operations {
		check("operation "+one.Name, one.URL)
	}
	return errors.Join(errs...)
}

// fixedPort takes the port out of a readiness check on this machine, if it is
// written there as a number.
func fixedPort(ready string) (int, bool) {
	if strings.HasPrefix(ready, "log:") {
		return 0, false
	}
	u, err := url.Parse(ready)
	if err != nil {
		return 0, false // holds a placeholder
	}
	switch u.Hostname() {
	case "127.0.0.1", "localhost", "::1":
	default:
		return 0, false
	}
	port, err := strconv.Atoi(u.Port())
	return port, err == nil
}
