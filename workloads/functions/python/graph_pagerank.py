"""graph-pagerank: the PageRank of a Barabási-Albert graph, each of whose vertices comes with ten edges."""

import random

import igraph

from tracing import span


def handler(event, context):
    size = event["size"]
    with span("handler", attributes={"size": size}):
        # A generator of its own: OpenTelemetry draws the ids of spans from the module's, and with that seeded again they would
        # be the same in each invocation.
        igraph.set_random_number_generator(random.Random(event["seed"]))
        with span("generate_graph"):
            graph = igraph.Graph.Barabasi(size, 10)
        with span("pagerank"):
            ranks = graph.pagerank()
        return {"first": ranks[0]}
