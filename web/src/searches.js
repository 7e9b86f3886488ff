// How much it can do: every stretch of load of every search, the fit and the goal.

import { doc, group, isFinite, looks } from './data.js';
import { axis, value } from './format.js';
import { above, roomAbove } from './labels.js';
import { figureAxis, show, tooltip } from './panel.js';
import { whisker } from './rows.js';
import { ends, stepsIn } from './scale.js';
import { colour, lookOf } from './theme.js';

// lookFor is what a search looks at: the field of a point, its unit, its name.
const lookFor = (search) => looks[search.kind] ?? Object.values(looks)[0];
const figure = (search, point) => point[lookFor(search).field] ?? 0;

export function searches(section) {
  const list = doc.searches ?? [];
  const place = section.querySelector('.charted');
  place.hidden = list.length === 0;
  const titles = [...new Set(list.map(group))];
  show(place.querySelector('.panels'), 'Stretches of load', titles.map((title) => {
    const own = list.filter((s) => group(s) === title);
    return { title: `${title}: ${lookFor(own[0]).name} by rate`, draw: (width) => draw(own, width) };
  }));
}

function draw(list, width) {
  const { unit, spread: decades } = lookFor(list[0]);
  const points = list.flatMap((s) => s.points.map((p) => [p.rate, figure(s, p)]));
  const right = Math.max(1, ...points.map(([x]) => x), ...list.map((s) => s.rate?.high ?? s.rate?.estimate ?? 0));
  const top = Math.max(...points.map(([, y]) => y), ...list.map((s) => s.target), 0) || 1;
  const spread = decades && top > 20 * Math.min(...points.map(([, y]) => y).filter((y) => y > 0));
  const names = roomAbove(list);
  const rates = ends(0, right, stepsIn(width - 80, 84));
  const figures = ends(0, top, 4);
  return {
    height: 264 + names,
    option: {
      grid: { left: 8, right: 18, top: names + (spread ? 14 : 0), bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: figureAxis({ ...rates, splitLine: { show: false }, axisLine: { show: true }, axisLabel: { formatter: axis('1/s', rates.max) } }),
      yAxis: spread
        ? figureAxis({ type: 'log', name: 'logarithmic', nameGap: 8, nameTextStyle: { color: colour('soft'), fontSize: 12, align: 'left' }, axisLabel: { formatter: (v) => axis(unit, v)(v) } })
        : figureAxis({ ...figures, axisLabel: { formatter: axis(unit, figures.max) } }),
      tooltip: tooltip(({ data }) => tip(data)),
      series: [...list.flatMap((s, i) => [dots(s, i === 0), ...fit(s, right), ...found(s)]), above(list.map(namedAt))],
    },
  };
}

// namedAt is where a search is named: at the rate that it found, otherwise at its highest.
function namedAt(search) {
  if (search.rate) return { name: search.variant, end: [search.rate.estimate, markOf(search)] };
  const p = search.points.reduce((a, b) => (b.rate > a.rate ? b : a), { rate: 0 });
  return { name: search.variant, end: [p.rate, figure(search, p)] };
}

// markOf is the height of the mark at the rate that was found.
const markOf = (search) => (lookFor(search).target ? search.target : 0);

function dots(search, first) {
  const { colour: tint, symbol } = lookOf(search.variant);
  return {
    type: 'scatter', name: search.variant, symbol: symbol.replace('emptyC', 'c'), symbolSize: 8,
    data: search.points.map((p) => ({
      value: [p.rate, figure(search, p)], point: p, search,
      itemStyle: { color: p.passed ? tint : colour('paper'), borderColor: tint, borderWidth: 1.5, opacity: 0.85 },
    })),
    markLine: first && lookFor(search).target ? goal(search) : undefined,
  };
}

// goal is a line at what the search looks for.
const goal = (search) => ({
  silent: true, symbol: 'none', data: [{ yAxis: search.target }], lineStyle: { color: colour('soft'), type: 'dashed', width: 1 },
  label: { position: 'insideStartTop', formatter: value(search.target, lookFor(search).unit), color: colour('soft'), fontSize: 12 },
});

// fit is the straight line of the searches whose fit held.
function fit(search, right) {
  if (!isFinite(search.base) || !isFinite(search.demand)) return [];
  const look = lookOf(search.variant);
  const end = search.demand > 0 ? Math.min(right, (1.05 - search.base) / search.demand) : right;
  return [{
    type: 'line', silent: true, symbol: 'none', tooltip: { show: false }, lineStyle: { color: look.colour, width: 1.5, opacity: 0.6 },
    data: [[0, search.base], [end, search.base + search.demand * end]],
  }];
}

// found is the rate that was found and its interval.
function found(search) {
  if (!search.rate) return [];
  const tint = lookOf(search.variant).colour;
  const { estimate, low, high } = search.rate;
  return [{
    type: 'custom', z: 5, encode: { x: 0, y: 1 }, clip: false,
    data: [{ value: [estimate, markOf(search)], search }],
    renderItem: (_, api) => {
      const [x, y] = api.coord([api.value(0), api.value(1)]);
      const at = (v) => api.coord([v, api.value(1)])[0];
      const bar = { type: 'rect', shape: { x: x - 2, y: y - 9, width: 4, height: 18 }, style: { fill: tint, stroke: colour('paper'), lineWidth: 1 } };
      return { type: 'group', children: [...(isFinite(low) && isFinite(high) ? whisker(at(low), at(high), y, tint) : []), bar] };
    },
  }];
}

function tip({ point: p, search: s }) {
  if (!p) return [s.variant, s.text];
  return [
    `${s.variant}, block ${p.block}`, `${p.purpose} at ${value(p.rate, '1/s')}`,
    `${lookFor(s).name}: ${value(figure(s, p), lookFor(s).unit)}`, p.passed ? 'goal met' : 'goal not met', ...(p.why ? [p.why] : []),
  ];
}
