'use strict';
// graph-pagerank: the PageRank of a Barabási-Albert graph, each of whose vertices comes with ten edges.

const createGraph = require('ngraph.graph');
const pagerank = require('ngraph.pagerank');

const { generator } = require('./random');
const { span } = require('./tracing');

const EDGES = 10;
const DAMPING = 0.85;
const EXACT = 1e-8; // what no rank changes by any more

// edges are those of a Barabási-Albert graph, in linear time: who is drawn from the ends of all edges so far is drawn by its
// degree.
function edges(size, next) {
  const ends = [];
  const all = [];
  for (let vertex = 1; vertex < size; vertex++) {
    const chosen = new Set();
    while (chosen.size < Math.min(EDGES, vertex)) {
      const drawn = Math.floor(next() * (ends.length + vertex)); // each vertex once more, so that one without edges is drawn too
      chosen.add(drawn < vertex ? drawn : ends[drawn - vertex]);
    }
    for (const other of chosen) {
      all.push([vertex, other]);
      ends.push(vertex, other);
    }
  }
  return all;
}

// graphOf is an undirected graph: ngraph's links have a direction, and so each edge is two of them.
function graphOf(size, list) {
  const graph = createGraph();
  graph.beginUpdate();
  for (let vertex = 0; vertex < size; vertex++) {
    graph.addNode(vertex);
  }
  for (const [a, b] of list) {
    graph.addLink(a, b);
    graph.addLink(b, a);
  }
  graph.endUpdate();
  return graph;
}

async function handler({ size, seed }) {
  return span('handler', { size }, async () => {
    const graph = await span('generate_graph', {}, () => graphOf(size, edges(size, generator(seed))));
    const ranks = await span('pagerank', {}, () => pagerank(graph, DAMPING, EXACT));
    return { first: ranks[0] };
  });
}

// ranksOf are those of the vertices of a graph.
const ranksOf = (size, list) => pagerank(graphOf(size, list), DAMPING, EXACT);

module.exports = { handler, edges, ranksOf };
