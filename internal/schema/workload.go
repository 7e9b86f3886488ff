// This file has the keys of a workload's operations.

package schema

// WorkloadOrName is the name of a workload, or one of your own.
type WorkloadOrName string

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
