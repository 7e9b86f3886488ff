// What one sees, against what it costs: the share of the traces that each way keeps, and the CPU that it adds.

import { decisions, isFinite, level } from './data.js';
import { beside, heightFor, roomBeside } from './labels.js';
import { figureAxis, show, tooltip } from './panel.js';
import { scaled } from './scale.js';
import { colour, lookOf } from './theme.js';

export function frontier(section) {
  const place = section.querySelector('.charted');
  const list = decisions.map((d) => ({ ...d, ways: d.ways.filter((w) => w.text.shown) })).filter((d) => d.ways.length > 0);
  place.hidden = list.length === 0;
  show(place.querySelector('.panels'), 'Traces kept against CPU added', list.map((d) => ({
    title: [d.operation, level(d)].filter(Boolean).join(', '), draw: (width) => draw(d, width),
  })));
}

// decades are the ticks of shares: of every trace, a tenth, a hundredth, as far as any way keeps.
function decades(ways) {
  const least = Math.min(0.1, ...ways.map((w) => w.kept).filter((kept) => kept > 0));
  const from = Math.floor(Math.log10(least) + 1e-9);
  return Array.from({ length: 1 - from }, (_, i) => from + i);
}

function draw({ ways }, width) {
  const relative = ways.every((w) => w.relative);
  const cost = (w) => (relative ? w.relative : w.cpu);
  const interval = (w) => [cost(w).low, cost(w).estimate, cost(w).high].filter(isFinite);
  const ticks = decades(ways);
  const edge = ticks[0] - 0.5; // of a way that keeps nothing
  const x = (w) => (w.kept > 0 ? Math.log10(w.kept) : edge);
  const scale = scaled(relative ? '1' : 'CPU', ways.map(interval), { log: false });
  const names = ways.map((w) => w.variant);
  const height = heightFor(names, 300);
  const line = ways.filter((w) => w.standing === 'frontier').sort((a, b) => x(a) - x(b));
  return {
    height,
    option: {
      grid: { left: 8, right: roomBeside(names, width), top: 14, bottom: 24, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: figureAxis({
        min: edge, max: 0.1, name: 'traces kept, logarithmic', nameLocation: 'middle', nameGap: 24, nameTextStyle: { color: colour('soft'), fontSize: 12 },
        splitLine: { lineStyle: { color: colour('grid') }, customValues: ticks }, axisTick: { show: true, customValues: ticks }, axisLine: { show: true, onZero: false },
        axisLabel: { customValues: ticks, formatter: (t) => `${Number((100 * 10 ** t).toPrecision(2))} %` },
      }),
      yAxis: scale.upright(height - 76),
      tooltip: tooltip(({ data }) => tip(data.way)),
      series: [
        {
          type: 'line', silent: true, symbol: 'none', tooltip: { show: false }, lineStyle: { color: colour('soft'), width: 1, type: 'dashed' },
          data: line.map((w) => [x(w), cost(w).estimate]),
        },
        {
          type: 'custom', clip: false, encode: { x: 0, y: 1 },
          data: ways.map((way) => ({ value: [x(way), cost(way).estimate], way })),
          renderItem: ({ dataIndex }, api) => point(ways[dataIndex], cost(ways[dataIndex]), api),
        },
        beside(ways.map((w) => ({ name: w.variant, end: [x(w), cost(w).estimate] })), width),
      ],
    },
  };
}

// point is a way with its interval, upright; hollow and grey where it is none to choose.
function point(way, { low, estimate, high }, api) {
  const at = (v) => api.coord([api.value(0), v]);
  const [cx, cy] = at(estimate);
  const tint = way.text.grey ? colour('soft') : lookOf(way.variant).colour;
  const dash = (x1, y1, x2, y2) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke: tint, lineWidth: 2 } });
  const ends = isFinite(low) && isFinite(high) ? [at(low)[1], at(high)[1]] : [];
  return {
    type: 'group',
    children: [
      ...(ends.length > 0 ? [dash(cx, ends[0], cx, ends[1]), ...ends.map((y) => dash(cx - 5, y, cx + 5, y))] : []),
      { type: 'circle', shape: { cx, cy, r: 5 }, style: { fill: way.text.grey ? colour('paper') : tint, stroke: tint, lineWidth: 2 } },
    ],
  };
}

function tip({ variant, text }) {
  return [
    variant, `keeps ${text.kept} of the traces`, `adds ${text.added} CPU per operation`, `at the rate ${text.cpu}`, `one CPU carries ${text.carries}`,
    ...(text.standing ? [text.standing] : []),
  ];
}
