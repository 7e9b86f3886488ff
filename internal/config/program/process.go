// Processes of a workload.

package program

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/role"
)

// DefaultPatience is how long a process may take to become ready.
const DefaultPatience = 30 * time.Second

// Process is one program of a workload.
type Process struct {
	_        struct{}          `called:"a process"`
	Name     string            `yaml:"name" of:"workload tracer" as:"line" required:"workload tracer"` // lower-case letters, digits, - and _; what a tracer brings beside shop is NAME@shop in the results
	Service  *Service          `yaml:"service" of:"workload tracer" as:"service"`                      // a service to be ('tracetax list services'); other keys win, env is merged
	Role     role.Role         `yaml:"role" as:"role" always:"true"`                                   // what it is there for, by which cost is told; default: app, of a service database, of what a tracer brings sidecar if beside, else collector
	Run      []string          `yaml:"run" as:"command" required:"service"`                            // its command; needed without service
	Starts   []string          `yaml:"starts" of:"workload" as:"command"`                              // what its command starts itself, again and again, as its last words: tracer and variant go around this
	Image    string            `yaml:"image" of:"workload" as:"image"`                                 // of a container in which it runs, such as shop:1.2: run is then a command in it, and may be left out; see docs/containers.md
	Engine   string            `yaml:"engine" of:"workload" one:"docker podman"`                       // what runs the container; default: docker, or podman where that does not answer
	Args     []string          `yaml:"args" of:"workload" as:"arguments"`                              // words behind the image's own command
	Deployed string            `yaml:"deployment" of:"workload" as:"line"`                             // a Deployment of the cluster, statefulset/NAME or pod/NAME, from whose template its pods are made; see docs/kubernetes.md
	Within   string            `yaml:"container" of:"workload" as:"line"`                              // the container of that template which is the program; default: the first one
	Manifest string            `yaml:"manifests" of:"workload" as:"manifests" json:"-"`                // a file of objects for a cluster, which has that template instead of the cluster: of its only Deployment, StatefulSet or Pod, or of the one that deployment names
	Port     int               `yaml:"port" of:"workload" range:"1..65535"`                            // at which a program of a Deployment listens, {port}; default: the first port of its container
	Env      map[string]string `yaml:"env"`                                                            // environment variables
	Dir      string            `yaml:"dir" as:"dir"`                                                   // where it starts; default: the workload's folder, {tmp} of what a tracer brings
	Ready    string            `yaml:"ready" as:"ready"`                                               // /path or http://… (any answer below 500), tcp://host:port or log:REGEXP (a line of output); default: a connection to {port}. Leave it out of a front process: a readiness request through it would make spans
	Patience time.Duration     `yaml:"patience" range:"1ms..1h" always:"true"`                         // longest time until ready; default: 30s
	CPUs     float64           `yaml:"cpus" of:"workload service" range:"0..1024"`                     // how many CPUs it may use, as 1 or 0.5; default: no limit
	Memory   int64             `yaml:"memory" of:"workload service" as:"size"`                         // how much memory it may use; default: no limit
	Host     string            `yaml:"host" of:"workload" as:"host"`                                   // the loopback address at which it listens, {host}; default: 127.0.0.1
	Protocol string            `yaml:"protocol" of:"workload" one:"http grpc thrift tcp"`              // how it is called, for proxies of a tracer ({peers}); default: as operations call it, else tcp
	Traced   bool              `yaml:"traced" of:"workload service" always:"true"`                     // whether tracer and variant apply; default: true for app

	Unmade []string // what else is in the file of Manifest, such as Service shop: no run makes it

	// Files with placeholders, filled in for each run in {templates}; not in an experiment.
	Templates map[string]string `yaml:"templates" of:"workload" as:"filledTemplates"` // their texts by name; in a Plan the tracer's too, settings filled in

	// In a Plan.
	Inherit []string // variables of Env that stand behind what the user's shell has, after what Between says
	Off     bool     // tracers in its own code are switched off by the variables of shell.Off, but for those that it has
	Page    string   // where its page of counters is, of the tracer or of what the tracer brought; "" where it has none
	Says    []Saying // what a process that a tracer brought says of spans
	Placed  Placed   // where it stands, if a tracer brought it

	// Of a hop.
	Config   string            // the text of a configuration of the user's own, as a run takes it; "": the service's
	Copy     *Copy             // of a Collector: what Config is a copy of; nil: it is as the user wrote it
	Program  string            // a program that stands in for what its service builds
	Own      map[string]string // what of Env the user wrote
	Settings map[string]string // those of its service that the user chose
}

// InImage reports whether the process runs in a container of an image, its own or that of a Deployment.
func (p Process) InImage() bool { return p.Image != "" || p.Deployed != "" }

func (p *Process) Begin(s *Source, n *Node) {
	p.start(s, n, role.App)
	p.Unmade = s.manifest(n)
}

// start is what the process is before its keys are read: the process of its service, or one of that role.
func (p *Process) start(s *Source, n *Node, r role.Role) {
	p.Role, p.Patience, p.Env = r, DefaultPatience, map[string]string{}
	if service := n.Get("service"); service == nil {
		s.Known = without(s.Known, "service")
	} else if of, ok := s.ofService(service); ok {
		*p = of
	}
}

func (p *Process) Finish(s *Source, n *Node) {
	if n.Get("service") == nil || n.Get("role") != nil || n.Get("traced") != nil {
		p.mayTrace(n)
	}
	s.imaged(n)
	p.named(s, n)
}

// mayTrace says whether a tracer applies to the process: as the file says, otherwise to apps.
func (p *Process) mayTrace(n *Node) {
	if n.Get("traced") == nil {
		p.Traced = p.Role == role.App
	}
}

// named checks that there is a name, and something to start.
func (p *Process) named(s *Source, n *Node) {
	if name := n.Get("name"); name == nil {
		s.Lacks(n, "name", n.At, "a process needs a name")
	} else if !processName.MatchString(p.Name) {
		s.Fail(name.At, "process %q: a name has lower-case letters, digits, - and _, and begins with a letter", Printable(p.Name))
	}
	if n.Get("run") == nil && n.Get("service") == nil && n.Get("image") == nil && n.Get("deployment") == nil && n.Get("manifests") == nil && !slices.Contains(n.Meant, "service") {
		s.Lacks(n, "run", n.At, "a process needs run: the command that starts it")
	}
}

var processName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

func (s *Source) size(n *Node) int64 {
	size, err := parseSize(s.Text(n))
	if err != nil {
		s.Fail(n.At, "%v", err)
	}
	return size
}

func (s *Source) dir(n *Node) string { return filepath.FromSlash(s.filled(n)) }

// ready reads how one sees that a process is up. A path is asked of the process itself.
func (s *Source) ready(n *Node) string {
	text := s.filled(n)
	if strings.HasPrefix(text, "/") {
		text = "http://{host}:{port}" + text
	}
	scheme, rest, _ := strings.Cut(text, ":")
	switch scheme {
	case "http":
		if err := checkURL(text); err != nil {
			s.Fail(n.At, "ready: %v", err)
		}
	case "tcp":
		if !strings.HasPrefix(rest, "//") || !strings.Contains(rest[2:], ":") {
			s.Fail(n.At, "ready: %q is not tcp://host:port", Printable(text))
		} else if err := checkURL(text); err != nil {
			s.Fail(n.At, "ready: %v", err)
		}
	case "log":
		if _, err := regexp.Compile(rest); err != nil {
			s.Fail(n.At, "ready: not a regular expression: %v", err)
		}
	case "unix":
		s.Fail(n.At, "a Unix socket cannot be asked: have the program listen on 127.0.0.1, and write tcp://host:port (or log:REGEXP)")
	case "https":
		s.Fail(n.At, "not supported yet: readiness over https; use tcp://host:port")
	default:
		s.Fail(n.At, "ready must be a path, http://…, tcp://host:port or log:REGEXP, not %q", Printable(text))
	}
	return text
}

// loopback is where a process listens that does not say it.
const loopback = "127.0.0.1"

// UnknownProtocol is the protocol of a process where neither its file nor an operation names one.
const UnknownProtocol = "tcp"

// HTTP and GRPC are the protocols by which the load calls processes.
const (
	HTTP = "http"
	GRPC = "grpc"
)

// At is the address of this machine at which the process listens.
func (p Process) At() string { return cmp.Or(p.Host, loopback) }

// host reads the address at which a process listens.
func (s *Source) host(n *Node) string {
	text := s.Line(n)
	if at, err := netip.ParseAddr(text); err != nil || !at.Is4() || !at.IsLoopback() {
		s.Fail(n.At, "host: %q is not a loopback address, such as 127.1.0.3: processes of a run are on this machine", Printable(text))
	}
	return text
}

// checkURL checks an absolute URL that may hold placeholders.
func checkURL(text string) error {
	plain := Replace(text, func(string) string { return "1" }, func(string) string { return "1" }, nil)
	u, err := url.Parse(plain)
	if err != nil || u.Host == "" {
		return &urlError{text}
	}
	return checkPort(u.Port(), text)
}

// checkPort checks the port of an address, "" where it has none.
func checkPort(port, address string) error {
	if port == "" {
		return nil
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("%q: a port is 1 to %d, not %s", Printable(address), MaxPort, Printable(port))
	}
	return nil
}

type urlError struct{ text string }

func (e *urlError) Error() string {
	return "\"" + Printable(e.text) + "\" is not a URL such as http://127.0.0.1:{port}/health"
}

// role is one that a workload may give to a process.
func (s *Source) role(n *Node) role.Role {
	var names []string
	for _, r := range role.Named() {
		names = append(names, string(r))
	}
	return role.Role(s.oneOf(n, "role", names...))
}

// The processes that a workload's or a tracer's file lists.

// eachOnce complains of a list without processes, and of names that are there twice; none says what to do instead.
func (s *Source) eachOnce(n *Node, none string, names []string) {
	if n == nil || n.Kind != List {
		return
	}
	if len(n.Items) == 0 {
		s.Fail(n.At, "processes is empty; %s", none)
	}
	for i, name := range names {
		if name != "" && slices.Contains(names[:i], name) {
			s.Fail(n.Items[i].At, "a second process called %q", name)
		}
	}
}

// processPorts are the placeholders {NAME.port} and {NAME.port.FURTHER} of those of a list of
// processes that is not read yet which are wanted; nil: of all.
func (s *Source) processPorts(n *Node, wanted func(*Node) bool) []string {
	var out []string
	if n == nil {
		return nil
	}
	for _, item := range n.Items {
		name := item.Get("name")
		if name == nil || name.Kind != Scalar || wanted != nil && !wanted(item) {
			continue
		}
		for _, word := range append([]string{"port", "host"}, s.ownPorts(item)...) {
			out = append(out, name.Text+"."+word)
		}
	}
	return out
}

// ownPorts are the placeholders of further ports in all texts of a process that is not read yet, and in its templates.
func (s *Source) ownPorts(n *Node) []string {
	out := further(Placeholders(n.Text))
	for _, item := range n.Items {
		out = append(out, s.ownPorts(item)...)
	}
	for _, e := range n.Entries {
		out = append(out, s.ownPorts(e.Value)...)
	}
	if templates := n.Get("templates"); templates != nil && s.Files != nil {
		for _, one := range append([]*Node{templates}, templates.Items...) {
			out = append(out, further(Placeholders(s.templateText(one.Text)))...)
		}
	}
	return out
}

// The texts of a process, and the placeholders in them.

// Words are the placeholders in all texts of a process of a plan, those of the service that it is among them.
func (p Process) Words() []string {
	all := slices.Concat(texts(p), []string{p.Page}, slices.Sorted(maps.Values(p.Templates)))
	if p.Service != nil {
		all = append(append(all, slices.Sorted(maps.Values(p.Service.Receives))...), p.Service.Metrics)
	}
	return WordsOf(all)
}

// texts are the texts of a process that may hold placeholders.
func texts(p Process) []string {
	out := slices.Concat([]string{p.Ready, p.Dir}, p.Run, p.Starts, p.Args)
	for _, v := range p.Env {
		out = append(out, v)
	}
	return out
}

func WordsOf(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, Placeholders(text)...)
	}
	return out
}

// UsesPort reports whether a process is told its port, by itself or by another one.
func UsesPort(p Process, processes []Process) bool {
	if slices.Contains(p.Words(), "port") {
		return true
	}
	return slices.ContainsFunc(processes, func(q Process) bool { return slices.Contains(q.Words(), p.Name+".port") })
}

// FurtherPorts are those that the texts of a process have placeholders for, each once: port.admin.
func (p Process) FurtherPorts() []string { return further(p.Words()) }

func further(words []string) []string {
	var out []string
	for _, word := range words {
		if strings.HasPrefix(word, PortPrefix) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

const MaxPort = 65535

// tree is a mapping that is put together key by key.
func (n *Node) Set(key string, value *Node) {
	n.Entries = append(n.Entries, Entry{key, value.At, value})
}

// Between is what stands between the values of a variable that is added to: a colon in lists of folders or libraries, such
// as PYTHONPATH, LD_LIBRARY_PATH and LD_PRELOAD; else a space.
func Between(variable string) string {
	switch {
	case strings.HasSuffix(variable, "PATH"), variable == "LD_PRELOAD", variable == "RUBYLIB", variable == "PERL5LIB":
		return ":"
	}
	return " "
}
