// This file has the keys of a workload.

package schema

// Workload is a program that can be traced.
type Workload struct {
	Name        Text                      `json:"name"`                             // in reports; default: the first process's. Only in an experiment
	Dir         Text                      `json:"dir"`                              // base of relative paths; default: the experiment's folder. Only in an experiment
	Language    Text                      `json:"language"`                         // so that otel means otel-LANGUAGE
	Description Text                      `json:"description"`                      // a line for 'tracetax list'
	Needs       []Need                    `json:"needs"`                            // programs of the PATH that it needs
	Artifact    Artifact                  `json:"artifact"`                         // pinned packages, in the folder {workload}
	Shared      Texts                     `json:"shared"`                           // folders of workloads/shared/ to copy into its own; not in an experiment
	Build       map[string]Build          `json:"build"`                            // by tracer, or default: commands that make the program
	Processes   []Process                 `json:"processes" jsonschema:"required"`  // what is started: each when those before it that it names ({NAME.port}) are ready; needed
	Operations  map[string]OperationOrURL `json:"operations" jsonschema:"required"` // what can be measured; needed
	Rate        Rate                      `json:"rate"`                             // where the experiment names none
	WarmupAll   Duration                  `json:"warmup_all"`                       // where the experiment names none
	Driver      Text                      `json:"driver"`                           // how operations are made: requests, or self-driving by the program itself; default: requests
	Self        bool                      `json:"self"`                             // true: the same as driver: self-driving; default: false
	Max         Max                       `json:"max"`                              // self-driving: the most that it can do
	Prepare     Command                   `json:"prepare"`                          // a command before each run, not measured; TRACETAX_VARIANT names the variant. A run fails where it fails
	Cleanup     Command                   `json:"cleanup"`                          // a command after each run, whatever became of it, for at most a minute
	Verify      Verify                    `json:"verify"`                           // what checks each ready variant's answers; it is measured only after status 0
}

// WorkloadOrName is the name of a workload, or one of your own.
type WorkloadOrName string

// Max is the most that a self-driving workload can do.
type Max struct {
	Depth   int `json:"depth"`   // calls in one another
	Threads int `json:"threads"` // threads that call
}

// Verify is a check of a workload's answers.
type Verify struct {
	Run Command `json:"run" jsonschema:"required"` // its command; may use {NAME.port} and {tracetax}
}

// Need is a program that has to be on the machine.
type Need struct {
	Command Text `json:"command"` // looked up on the PATH
	Also    Text `json:"also"`    // a pattern of files that do as well
	Instead Text `json:"instead"` // of a service: a program that replaces the build
	Install Text `json:"install"` // how to get it
	Reason  Text `json:"reason"`  // instead of a command: why it cannot be had
}

// Artifact names files that pin packages, relative to the folder.
type Artifact struct {
	Python Text `json:"python"` // requirements with hashes
	Maven  Text `json:"maven"`  // lines group:artifact:version[:type[:classifier]] sha256:HEX [as FILENAME] [unpack]
	NPM    Text `json:"npm"`    // package-lock.json, beside package.json
	NuGet  Text `json:"nuget"`  // a folder of .NET projects, each with packages.lock.json in its own folder
}

// Build is commands in a copy of the folder.
type Build struct {
	Run []Command   `json:"run"` // the commands; {build} is where the result goes
	Env Environment `json:"env"` // their environment variables
}

// Process is one program of a workload.
type Process struct {
	Name      Text        `json:"name" jsonschema:"required"`                                                        // lower-case letters, digits, - and _; needed
	Service   Text        `json:"service"`                                                                           // a service to be ('tracetax list services'); other keys win, env is merged
	Run       Command     `json:"run"`                                                                               // its command; needed without service
	Role      string      `json:"role" jsonschema:"enum=app,enum=sidecar,enum=collector,enum=backend,enum=database"` // what it is there for, by which cost is told; default: app
	Env       Environment `json:"env"`                                                                               // environment variables
	Templates Texts       `json:"templates"`                                                                         // files with placeholders, filled in for each run in {templates}; not in an experiment
	Dir       Text        `json:"dir"`                                                                               // where it starts; default: the workload's folder
	Ready     Text        `json:"ready"`                                                                             // http://… (any answer below 500), tcp://host:port or log:REGEXP (a line of output); default: a connection to {port}
	Patience  Duration    `json:"patience"`                                                                          // longest time until ready; default: 30s
	CPUs      Text        `json:"cpus"`                                                                              // how many CPUs it may use, as 1 or 0.5; default: no limit
	Memory    Size        `json:"memory"`                                                                            // how much memory it may use; default: no limit
	Traced    bool        `json:"traced"`                                                                            // whether tracer and variant apply; default: true for app
}

// Operation is one kind of work: a request, or, of a self-driving workload, words for its process.
type Operation struct {
	Request     Text            `json:"request"`                                   // POST /checkout, or GET https://127.0.0.1:{port}/; this, grpc or steps
	GRPC        Text            `json:"grpc"`                                      // unary call: /package.Service/Method, also with https://127.0.0.1:{port} before; body is a protobuf message
	Steps       []StepOrRequest `json:"steps" jsonschema:"minItems=2,maxItems=50"` // instead: requests that follow one another and are one operation; not with data, gRPC or self-driving
	Protoset    Text            `json:"protoset"`                                  // gRPC: types, from protoc --descriptor_set_out=FILE --include_imports; body is then JSON
	Process     Text            `json:"process"`                                   // whose port a path goes to; default: the one app whose port no other is given
	Headers     map[string]Text `json:"headers"`                                   // header fields
	Body        BodyOrText      `json:"body"`                                      // a text, "@order.json", or where it comes from; at most 256 KiB in all
	Data        Text            `json:"data"`                                      // CSV with a header line, or JSON lines: each operation uses another row, {data.COLUMN}
	Order       string          `json:"order" jsonschema:"enum=turn,enum=random"`  // of rows: turn, over and over; random, by the seed; default: turn
	Insecure    bool            `json:"insecure"`                                  // true: do not check certificates; default: false
	Status      Statuses        `json:"status"`                                    // right status, not for grpc; of several, [200, 500], records count each; default: 2xx and 3xx
	Timeout     Duration        `json:"timeout"`                                   // instead of the load's
	Rate        Rate            `json:"rate"`                                      // instead of the load's; a built-in workload's rates yield to your rate or connections
	Spans       Spans           `json:"spans"`                                     // spans that one makes: 3, 2..5, or by tracer {default: 3, otel-go: 2}; default: learnt by a slow run
	Drive       map[string]Text `json:"drive"`                                     // self-driving: words for its process, as {depth: 10}; the load's win
	Empty       bool            `json:"empty"`                                     // self-driving, true: does nothing, so that cost is told as time and not as a share; default: false
	Description Text            `json:"description"`                               // a line for 'tracetax show'
}

// Step is one request of an operation of several.
type Step struct {
	Request Text            `json:"request" jsonschema:"required"` // POST /login; may hold {take.NAME} of a step before; needed
	Headers map[string]Text `json:"headers"`                       // header fields
	Body    BodyOrText      `json:"body"`                          // as of an operation
	Status  Statuses        `json:"status"`                        // right status, or several; default: 2xx and 3xx
	Take    map[string]Text `json:"take"`                          // values of its answer for later steps, by name: $.user.tokens[0] of a JSON body, or a regular expression over header lines and body, whose first group counts
}

// StepOrRequest is a step, or its request alone: GET /cart.
type StepOrRequest string

// Statuses is the right status of an answer, or a list of several.
type Statuses string

// Spans is a number of spans, or one by tracer.
type Spans string

// OperationOrURL is an operation, or its request alone: GET /. Of a self-driving workload nothing will do.
type OperationOrURL string

// Body is where a body comes from: one of these.
type Body struct {
	Text   Text `json:"text"`   // the body itself
	File   Text `json:"file"`   // a file beside the experiment, or inside the workload's folder
	Base64 Text `json:"base64"` // the body in base64
}

// BodyOrText is a body, as a text or with where it comes from.
type BodyOrText string
