// The pictures: which rows of which tables, on which axis.

package main

// picture has panels beside each other, in each of them groups, in each group rows. A bar is what all of them want together. Or it
// has stacks.
type picture struct {
	name, title string
	says        []string
	table       string // for panels that name no other
	want        row
	column      string  // cost, added or absolute, with its interval
	times       float64 // from the table's unit to the axis'
	unit        string  // of the axis
	beyond      float64 // the axis is logarithmic beyond it; 0: linear
	columns     int     // panels beside each other
	label       float64 // room for names, left of the axis
	published   []series
	panels      []part
	groups      []part
	rows        []part // nil: all variants of the table but the baseline
	stacks      []stack
}

// part is a panel, a group, a bar, or a part of a stack.
type part struct {
	name   string
	want   row
	colour int    // of a bar or a part of a stack: c1 of the results page for 1
	table  string // of a panel or a row of stacks
}

// where is a part: what a column holds, and what the picture calls it.
func where(column, cell, name string, colour int) part {
	return part{name: name, want: row{column: cell}, colour: colour}
}

// each are parts that are called as what a column holds.
func each(column string, colour int, names ...string) []part {
	var out []part
	for _, name := range names {
		out = append(out, where(column, name, name, colour))
	}
	return out
}

// series is a series of published figures, by how its name in the table begins; the second of a picture is drawn as squares.
type series struct{ says, begins string }

// tracers are the colours of tracers, those of the results page where it has one.
var tracers = map[string]int{
	"otel": 1, "elastic": 2, "kieker": 3, "pinpoint": 4, "skywalking": 5, "datadog": 6, "newrelic": 7, "scouter": 8, "inspectit": 9,
	"tracetax": 10, "glowroot": 0,
}

var pictures = []picture{{
	name: "calls-baseline", table: "calls-baseline", want: row{"metric": "time_per_call"}, column: "added",
	times: 1e6, unit: "µs", columns: 1, label: 222,
	title: "What nine tracers add to a call of ten nested Java methods",
	says: []string{
		"Time of a call over that without an agent, called as fast as it goes, on one CPU. " +
			"† loses over 1 % of its spans, and does less work.",
		"What is called -api, -off, -deactivated, -no-…, -sampling and the like leaves steps of tracing out. inspectIT was not measured.",
	},
	published: []series{{"published, x86_64", "published, table 2, x86_64"}, {"published, ARMv8", "published, table 2, ARMv8"}},
	panels:    []part{{}},
}, {
	name: "causes", want: row{"against": "none", "role": "", "service": ""}, column: "absolute", label: 236,
	title: "Where the CPU goes that tracing adds",
	says:  []string{"The line is the 95 % interval of all that is added. Left of 0: the program itself runs faster when traced."},
	stacks: []stack{{
		title: "Python: a request of Flask, an invocation of a function, in ms", unit: "ms", times: 1e3, parts: stages,
		rows: []part{
			{name: "Flask, db: each span at its end", table: "causes-requests", want: row{"operation": "db", "variant": "simple"}},
			{name: "Flask, db: in batches", table: "causes-requests", want: row{"operation": "db", "variant": "batch"}},
			{name: "function: each span at its end", table: "causes-functions", want: row{"operation": "dynamic-html", "variant": "own"}},
		},
	}, {
		title: "Java: a call of ten nested methods, in µs", unit: "µs", times: 1e6, parts: tasks,
		rows: []part{
			{name: "OpenTelemetry", table: "causes-calls", want: row{"operation": "call", "variant": "otel"}},
			{name: "Elastic APM", table: "causes-calls", want: row{"operation": "call", "variant": "elastic"}},
			{name: "Kieker", table: "causes-calls", want: row{"operation": "call", "variant": "kieker"}},
			{name: "SkyWalking", table: "causes-calls", want: row{"operation": "call", "variant": "skywalking"}},
		},
	}},
}, {
	name: "functions", table: "functions", want: row{"metric": "benchmark_time_mean", "variant": "own"}, column: "cost",
	times: 100, unit: "%", beyond: 20, columns: 2, label: 142,
	title: "What OpenTelemetry adds to the time of five functions, warm",
	says: []string{
		"Mean time of the function's own call over that without tracing; each span is sent at its end. Logarithmic beyond 20 %.",
	},
	published: []series{{"published, table 4.3", "published, table 4.3"}},
	panels:    []part{where("workload", "functions/python", "Python", 0), where("workload", "functions/node", "Node.js", 0)},
	rows:      each("operation", 1, "dynamic-html", "uploader", "thumbnailer", "video-processing", "graph-pagerank"),
}, {
	name: "graphs", table: "graphs-throughput", want: row{"metric": "throughput"}, column: "cost",
	times: 100, unit: "%", columns: 2, label: 132,
	title:     "What packets, OpenTelemetry with Jaeger, and a mesh take of the throughput of three graphs",
	says:      []string{"Change of the operations per second over that without any, services and sidecars on one CPU."},
	published: []series{{"published, table 4.1: one run, at its maximum over all connections", "published, table 4.1"}},
	panels: []part{
		where("workload", "graph/social-network", "Social Network", 0), where("workload", "graph/hotel", "Hotel Reservation", 0),
		where("workload", "graph/boutique", "Online Boutique", 0),
	},
	groups: []part{
		where("parameter", "connections=16", "16 connections", 0), where("parameter", "connections=64", "64 connections", 0),
	},
	rows: []part{
		where("variant", "packets", "packets", 7), where("variant", "jaeger", "to Jaeger", 1), where("variant", "mesh", "mesh", 5),
	},
}, {
	name: "proxy-batching", table: "proxy-batching", want: row{"metric": "cpu_per_operation"}, column: "cost",
	times: 100, unit: "%", columns: 2, label: 100,
	title: "What tracing adds to the CPU of a request through Envoy, by the number of spans in an export",
	says: []string{
		"CPU of proxy, origin and Collector over that without tracing; 48 requests under way, an origin that takes 10 ms.",
		"† over 1 % of the spans were lost.",
	},
	panels: []part{
		{name: "into a receiver"}, where("variant", "collector-", "into a Collector", 0),
		where("variant", "late-", "into a receiver that is 1 s late", 0),
	},
	rows: []part{
		where("variant", "f1", "1 span", 1), where("variant", "f5", "5 spans", 1), where("variant", "f25", "25 spans", 1),
		where("variant", "f125", "125 spans", 1), where("variant", "f512", "512 spans", 1),
	},
}, {
	name: "requests-throughput", table: "requests-throughput", want: row{"metric": "capacity"}, column: "cost",
	times: 100, unit: "%", columns: 2, label: 138,
	title: "What tracing takes of the throughput of a web service with a database",
	says: []string{
		"Change of the rate at which the service uses 75 % of one CPU, every trace sampled. † over 1 % of the spans were lost.",
		"Elastic for Go suppresses most database spans.",
	},
	published: []series{{"published: means computed from the study's raw logs", "published, mean computed from the raw logs"}},
	panels: []part{
		where("workload", "requests/flask", "Flask", 0), where("workload", "requests/gohttp", "Go, net/http", 0),
		where("workload", "requests/node", "Node", 0), where("workload", "requests/spring", "Spring Boot", 0),
	},
	groups: each("operation", 0, "json", "db", "queries", "updates"),
	rows:   []part{where("variant", "otel", "OpenTelemetry", 1), where("variant", "elastic", "Elastic APM", 2)},
}, {
	name: "tiers-overhead", table: "tiers-overhead", want: row{"metric": "cpu_per_operation", "variant": "otel"}, column: "cost",
	times: 100, unit: "%", columns: 2, label: 90,
	title: "What OpenTelemetry adds to the CPU of a request through three services, by kind of work",
	says:  []string{"CPU of all three over that without tracing. Every span came."},
	panels: []part{
		where("workload", "tiers/flask", "Flask", 0), where("workload", "tiers/aspnet", "ASP.NET Core, as it comes", 0),
	},
	rows: each("operation", 1, "small", "large", "factorial", "pi", "matrix"),
}}

// stages and tasks are what added CPU consists of: when a tracer uses it, and for what.
var (
	stages = []part{
		where("metric", "cpu_stage_instrumentation", "instrumentation", 1), where("metric", "cpu_stage_propagation", "propagation", 8),
		where("metric", "cpu_stage_export", "export", 2), where("metric", "cpu_unseen", "native code, by no cause", 10),
		where("metric", "cpu_other_processes", "the Collector", 5), where("metric", "cpu_program", "the program itself", 0),
	}
	tasks = []part{
		where("metric", "cpu_task_network", "network", 2), where("metric", "cpu_task_serialising", "serialising", 5),
		where("metric", "cpu_task_queue", "queue", 6), where("metric", "cpu_task_lock", "lock", 7),
		where("metric", "cpu_task_metadata", "metadata", 1), where("metric", "cpu_task_call_tree", "call tree", 8),
		where("metric", "cpu_task_memory", "memory", 3), where("metric", "cpu_task_time", "time", 4),
		where("metric", "cpu_no_rule", "no rule", 10), where("metric", "cpu_runtime", "the runtime", 11),
		where("metric", "cpu_program", "the program itself", 0),
	}
)
