// The services of a graph: who calls whom, and how much a variant adds to the CPU of each.

import { baseline, calls, services as costs } from './data.js';
import { choice, legend } from './controls.js';
import { show, tooltip } from './panel.js';
import { colour, mix } from './theme.js';

// Where a page has less room than this, services stand below each other.
const narrow = 700;
const line = 24; // height of a service there
const step = 18; // to the right, for each call
const tall = 58; // height of a service where they stand in columns, with its name below it
const letter = 7; // the most that one of a name takes, on average

// services draws one variant at one level of one operation.
export function services(section) {
  const place = section.querySelector('.charted');
  if (!place) return undefined;
  const own = costs.filter((c) => c.service);
  const groups = [...new Set(own.map((c) => c.text.group))];
  const pairs = [...new Set(own.map(pairOf))];
  let [group, pair] = [groups[0], pairs[0]];
  const list = () => own.filter((c) => c.text.group === group && pairOf(c) === pair);
  const redraw = () => {
    show(place.querySelector('.panels'), 'Services and their calls', list().length > 0 ? [{ title: `${group}: what ${pair}`, draw: (width) => draw(list(), width) }] : []);
    explain(place.querySelector('.legend'), list());
  };
  const controls = place.querySelector('.controls');
  choice(controls, 'Operation', groups.map((text) => [text, text]), (text) => { group = text; redraw(); });
  choice(controls, 'Variant', pairs.map((text) => [text, text]), (text) => { pair = text; redraw(); });
  return () => explain(place.querySelector('.legend'), list());
}

// pairOf is a variant, and what it is held against where that is not the baseline.
const pairOf = (c) => `${c.variant} adds${c.against === baseline ? '' : ` to ${c.against}`}`;

const addedTo = (c) => c.absolute?.estimate ?? 0;

const mostOf = (list) => Math.max(0, ...list.map((c) => Math.abs(addedTo(c))));

function explain(place, list) {
  const dearest = list.find((c) => c.absolute && Math.abs(addedTo(c)) === mostOf(list));
  const swatch = (share) => ({ x: 6, y: 0, width: 12, height: 12, fill: shade(share), stroke: colour('soft') });
  const program = list.some((c) => !c.text.program) ? [['others, as stores', 'rect', { x: 6, y: 1, width: 11, height: 11, fill: 'none', stroke: colour('soft') }]] : [];
  legend(place, dearest ? [['adds nothing', 'rect', swatch(0)], [`adds ${dearest.text.short}`, 'rect', swatch(Math.sign(addedTo(dearest)))], ...program] : []);
}

// shade is the colour of a share of the most that is added: the page's for dear, or for cheap where it is below nought.
const shade = (share) => mix('wash-same', share < 0 ? 'cheap' : 'dear', Math.sqrt(Math.abs(share))); // so that what is small beside the dearest is still seen

function draw(list, width) {
  const edges = calls.filter((c) => c.operation === list[0].operation);
  const at = width < narrow ? rows(list, edges, width) : columns(list, edges, width);
  const height = Math.max(...[...at.values()].map(([, y]) => y)) + (width < narrow ? line / 2 : tall - 12);
  const most = mostOf(list);
  const often = Math.max(...edges.map((e) => e.high));
  const known = edges.filter((e) => at.has(e.from) && at.has(e.to));
  return {
    height,
    option: {
      tooltip: tooltip(({ data: { cost, call } }) => (call ? tipOfCall(call) : tipOf(cost))),
      series: [{
        type: 'graph', layout: 'none', left: 0, top: 0, width, height, roam: false,
        edgeSymbol: ['none', 'arrow'], edgeSymbolSize: 6, emphasis: { focus: 'adjacency', lineStyle: { color: colour('ink') } },
        data: [
          ...list.map((cost) => node(cost, at.get(cost.service), most, width)),
          ...[[0, 0], [width, height]].map(([x, y], i) => ({ name: `\n${i}`, x, y, symbolSize: 0, silent: true, tooltip: { show: false } })), // they hold the places of the others
        ],
        links: known.map((call) => ({
          source: call.from, target: call.to, call,
          lineStyle: { color: colour('soft'), opacity: 0.55, width: 1 + 2 * Math.sqrt(call.high / often), curveness: width < narrow ? -0.25 : 0.08 },
        })),
      }],
    },
  };
}

function node(cost, [x, y, room], most, width) {
  return {
    name: cost.service, x, y, cost, symbol: cost.text.program ? 'circle' : 'rect', symbolSize: cost.text.program ? 15 : 12,
    itemStyle: { color: shade(most > 0 ? addedTo(cost) / most : 0), borderColor: colour('soft'), borderWidth: 1 },
    label: {
      show: true, position: width < narrow ? 'right' : 'bottom', distance: 4, fontSize: 12, lineHeight: 14, color: colour('ink'), backgroundColor: colour('paper'), padding: [0, 2],
      width: cost.service.length * letter > room ? room : undefined, overflow: 'truncate',
      formatter: `${cost.service}${width < narrow ? '  ' : '\n'}{figure|${cost.text.short || '?'}}`, rich: { figure: { fontSize: 12, lineHeight: 14, color: colour('soft') } },
    },
  };
}

// depths are how many calls lie at most before each service; of one that no call leads to or from there is none.
function depths(list, edges) {
  const found = new Map();
  const depth = (name) => {
    if (!found.has(name)) {
      found.set(name, 0); // calls never come round
      found.set(name, Math.max(0, ...edges.filter((e) => e.to === name).map((e) => depth(e.from) + 1)));
    }
    return found.get(name);
  };
  for (const { service } of list) if (edges.some((e) => e.from === service || e.to === service)) depth(service);
  return found;
}

// columns have a column for each depth, and below them those that nobody calls.
function columns(list, edges, width) {
  const depth = depths(list, edges);
  const count = Math.max(1, 1 + Math.max(...depth.values(), 0));
  const wide = width / count;
  const at = new Map();
  let bottom = 0;
  for (let d = 0; d < count; d += 1) {
    // Near those that call them, so that few calls cross.
    const above = (name) => mean(edges.filter((e) => e.to === name && at.has(e.from)).map((e) => at.get(e.from)[1]));
    const names = list.map((c) => c.service).filter((name) => depth.get(name) === d).sort((a, b) => above(a) - above(b));
    names.forEach((name, i) => at.set(name, [(d + 0.5) * wide, 12 + i * tall, wide - 8]));
    bottom = Math.max(bottom, names.length);
  }
  for (let d = 0; d < count; d += 1) { // each column in the middle of the height
    const own = [...at].filter(([name]) => depth.get(name) === d);
    for (const [, place] of own) place[1] += ((bottom - own.length) * tall) / 2;
  }
  list.filter((c) => !depth.has(c.service)).forEach((c, i) => {
    at.set(c.service, [((i % count) + 0.5) * wide, 12 + (bottom + 0.4 + Math.floor(i / count)) * tall, wide - 8]);
  });
  return at;
}

const mean = (all) => (all.length > 0 ? all.reduce((a, b) => a + b) / all.length : 0);

// rows have a service each, behind the first one that calls it, and at last those that nobody calls.
function rows(list, edges, width) {
  const depth = depths(list, edges);
  const names = [];
  const visit = (name) => {
    if (names.includes(name)) return;
    names.push(name);
    for (const e of edges) if (e.from === name) visit(e.to);
  };
  for (const { service } of list) if (depth.get(service) === 0) visit(service);
  for (const { service } of list) visit(service);
  const known = names.filter((name) => list.some((c) => c.service === name));
  const left = (name) => 40 + (depth.get(name) ?? 0) * step;
  return new Map(known.map((name, i) => [name, [left(name), line / 2 + i * line, width - left(name) - 16]]));
}

const tipOf = (c) => [c.service, c.roles.join(', '), `${c.against} ${c.text.baseline}`, `${c.variant} ${c.text.value}`, `adds ${c.text.adds}`];

function tipOfCall({ from, to, low, high }) {
  const often = (n) => Number(n.toPrecision(3));
  return [`${from} → ${to}`, `${low === high ? often(low) : `${often(low)} to ${often(high)}`} calls per operation`];
}
