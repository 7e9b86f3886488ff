// From level to level: a metric over what was varied, a line for each variant.

import { isFinite, linesOf, nameOf as label, sweeps as all } from './data.js';
import { choice, legend } from './controls.js';
import { beside, heightFor, roomBeside } from './labels.js';
import { figureAxis, show, tooltip } from './panel.js';
import { dots, dotted } from './published.js';
import { scaled } from './scale.js';
import { colour, lookOf } from './theme.js';

export function sweeps(section) {
  const list = all.filter((s) => s.points.length > 0);
  const place = section.querySelector('.charted');
  place.hidden = list.length === 0;
  const metrics = [...new Set(list.map((s) => s.metric))].map((m) => [m, label(m)]);
  choice(place.querySelector('.controls'), 'Metric', metrics, (metric) => {
    const own = list.filter((s) => s.metric === metric);
    show(place.querySelector('.panels'), 'A metric by level', [...new Set(own.map((s) => s.operation))].map((operation) => {
      const curves = own.filter((s) => s.operation === operation);
      return { title: `${operation || 'whole run'}: ${label(metric)} by ${curves[0].parameter}`, draw: (width) => draw(curves, width) };
    }));
  });
  const published = list.some((s) => linesOf(s).length > 0);
  return () => legend(place.querySelector('.legend'), published ? [['published, above our baseline', 'line', {
    x1: 1, y1: 6, x2: 25, y2: 6, stroke: colour('ink'), 'stroke-width': 2.5, 'stroke-dasharray': dots.join(' '),
  }]] : []);
}

function draw(curves, width) {
  const { unit } = curves[0];
  const xs = [...new Set(curves.flatMap((s) => s.points.map((p) => p.x)))].sort((a, b) => a - b);
  const most = Math.max(...curves.flatMap((s) => s.points.map((p) => p.high ?? p.y)));
  const least = Math.min(...curves.flatMap((s) => s.points.map((p) => p.low ?? p.y)));
  const deep = curves[0].parameter === 'depth';
  const log = !deep && xs[0] > 0 && xs.at(-1) / xs[0] >= 8; // over depth a straight line is the point
  const names = curves.map((s) => s.variant);
  const height = heightFor(names, deep ? 420 : 280); // over depth lines are close to each other
  // Over depth a straight line is the point. Elsewhere nought is left out where all are far from it.
  const rows = curves.flatMap((s) => s.points.map((p) => [p.low, p.y, p.high]));
  const scale = scaled(unit, rows, { log: !deep, zero: !(least > 0 && most / least < 2.5) });
  return {
    height,
    option: {
      grid: { left: 8, right: roomBeside(names, width), top: scale.log ? 26 : 16, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: figureAxis({
        type: log ? 'log' : 'value', min: xs[0] * (log ? 0.9 : 1), max: xs.at(-1) * (log ? 1.1 : 1), splitLine: { show: false }, axisLine: { show: true, onZero: false },
        axisTick: { show: true, customValues: xs }, axisLabel: { customValues: xs, formatter: (x) => String(Number(x.toPrecision(6))), hideOverlap: true },
      }),
      yAxis: scale.upright(height - 60),
      tooltip: tooltip(({ data }) => tip(data)),
      series: [
        ...curves.map((s) => ends(s, scale)), ...linesOf(curves[0]).map((l) => dotted(l, scale)), ...curves.map((s) => line(s, scale)),
        ...curves.filter((s) => s.knee).map((s) => knee(s, scale)), beside(curves.map((s) => lastOf(s, scale)), width),
      ],
    },
  };
}

const look = (s) => lookOf(s.variant);

// lastOf is where a curve ends.
function lastOf(s, scale) {
  const p = s.points.reduce((a, b) => (b.x > a.x ? b : a));
  return { name: s.variant, end: [p.x, scale.at(p.y)] };
}

const line = (s, scale) => ({
  type: 'line', name: s.variant, symbol: look(s).symbol, symbolSize: 7, showAllSymbol: true,
  lineStyle: { color: look(s).colour, type: look(s).dash, width: 2 }, itemStyle: { color: look(s).colour }, emphasis: { focus: 'series' },
  data: s.points.map((p) => ({ value: [p.x, scale.at(p.y)], point: p, sweep: s })),
});

// ends are the intervals, as lines with an end above and below; over depth with a band
// between them.
const ends = (s, scale) => ({
  type: 'custom', silent: true, tooltip: { show: false }, encode: { x: 0, y: [1, 2] },
  data: s.points.filter((p) => isFinite(p.low) && isFinite(p.high)).map((p) => [p.x, scale.at(p.low), scale.at(p.high)]),
  renderItem: ({ dataIndex }, api) => {
    const [x, from] = api.coord([api.value(0), api.value(1)]);
    const [, to] = api.coord([api.value(0), api.value(2)]);
    const stroke = (x1, y1, x2, y2) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke: look(s).colour, lineWidth: 1.5 } });
    const own = [stroke(x, from, x, to), stroke(x - 4, from, x + 4, from), stroke(x - 4, to, x + 4, to)];
    return { type: 'group', children: dataIndex === 0 && s.parameter === 'depth' ? [band(s, api, scale), ...own] : own };
  },
});

// band is the area between the ends of all points.
function band(s, api, scale) {
  const points = s.points.filter((p) => isFinite(p.low) && isFinite(p.high));
  return {
    type: 'polygon', style: { fill: look(s).colour, opacity: 0.14 },
    shape: { points: [...points.map((p) => api.coord([p.x, scale.at(p.high)])), ...points.map((p) => api.coord([p.x, scale.at(p.low)])).reverse()] },
  };
}

function knee(s, scale) {
  const p = s.points.find((one) => one.x === s.knee.x);
  return {
    type: 'scatter', name: s.variant, symbol: 'diamond', symbolSize: 17, z: 6,
    itemStyle: { color: look(s).colour, borderColor: colour('paper'), borderWidth: 1.5 },
    data: p ? [{ value: [p.x, scale.at(p.y)], point: p, sweep: s, knee: s.knee }] : [],
  };
}

function tip({ point: p, sweep: s, knee: k }) {
  return [s.variant, `${s.parameter} ${p.x}`, `${label(s.metric)} ${p.text}`, ...(k ? [`knee: ${k.text}`] : [])];
}
