// Step by step: what each variant adds to the one it is held against, as bars
// that start where the other one ends. They stand in the order of the experiment, as each
// goes on from another.

import { baseline, byGroup, isFinite, metrics, of, variants } from './data.js';
import { choice } from './controls.js';
import { ofDifference } from './format.js';
import { show, tooltip } from './panel.js';
import { extent, room, rowAxis, rowHeight, text, whisker } from './rows.js';
import { scaled } from './scale.js';
import { colour, lookOf, toneColour } from './theme.js';

// told reports whether there is a step; where no span came of a side there is none of tracing.
const told = (f) => f.absolute && !f.text.dark;

export function ladder(section) {
  const options = metrics((f) => f.against !== baseline && told(f));
  section.hidden = options.length === 0;
  choice(section.querySelector('.controls'), 'Metric', options, (metric) => {
    const groups = byGroup(of(metric, told));
    const list = groups.map(([title, fs]) => ({ title, draw: (width) => draw(steps(fs), fs[0].unit, width) }));
    show(section.querySelector('.panels'), 'Steps with their intervals', list);
  });
}

// steps is one finding a variant: over the other one it is held against where
// there is one, else over the baseline. Each starts where that other one ends.
function steps(list) {
  const chosen = new Map();
  for (const f of list) if (!chosen.has(f.variant) || f.against !== baseline) chosen.set(f.variant, f);
  const overBaseline = new Map(list.filter((f) => f.against === baseline).map((f) => [f.variant, f.absolute.estimate]));
  return variants.filter((v) => chosen.has(v)).map((v) => {
    const f = chosen.get(v);
    return { f, start: overBaseline.get(f.against) ?? 0 };
  });
}

function draw(rows, unit, width) {
  const names = room(rows.map(({ f }) => f.text.variant), width, 0.36);
  const figures = room(rows.map(({ f }) => short(f)), width, 0.3);
  // Never logarithmic: a step is as long wherever it starts.
  const scale = scaled(ofDifference(unit), rows.map(({ f, start }) => extent(f.absolute, start)), { log: false });

  const item = (params, api) => {
    const { f, start } = rows[params.dataIndex];
    const { estimate, low, high } = f.absolute;
    const x = (v) => api.coord([v, params.dataIndex])[0];
    const y = api.coord([0, params.dataIndex])[1];
    const tint = lookOf(f.variant).colour;
    const [from, to] = [x(start), x(start + estimate)];
    const children = [
      text(0, y, f.text.variant, { width: names - 10 }),
      { type: 'rect', shape: { x: Math.min(from, to), y: y - 7, width: Math.max(1, Math.abs(to - from)), height: 14 }, style: { fill: tint, opacity: 0.35 } },
    ];
    if (isFinite(low) && isFinite(high)) children.push(...whisker(x(start + low), x(start + high), y, tint));
    children.push({ type: 'circle', shape: { cx: to, cy: y, r: 3 }, style: { fill: tint } });
    children.push(text(width, y, short(f), { align: 'right', width: figures - 6, fill: toneColour(f.text.tone) }));
    return { type: 'group', children };
  };

  return {
    height: rows.length * rowHeight + scale.room,
    option: {
      grid: { left: names, right: figures + 8, top: 4, bottom: 30, outerBoundsMode: 'none' },
      xAxis: scale.axis(width - names - figures - 8),
      yAxis: rowAxis(rows),
      tooltip: tooltip(({ dataIndex }) => tip(rows[dataIndex].f)),
      series: [{
        type: 'custom', renderItem: item, clip: false, encode: { x: [1, 2, 3], y: 0 },
        data: rows.map(({ f, start }, i) => [i, ...extent(f.absolute, start)]),
        markLine: { silent: true, symbol: 'none', label: { show: false }, data: [{ xAxis: 0, lineStyle: { color: colour('soft'), type: 'solid', width: 1 } }] },
      }],
    },
  };
}

// short is the step without its interval, and the mark of its verdict.
const short = (f) => [f.text.mark, f.text.absolute.replace(/ \(.*/, '')].filter(Boolean).join(' ');

const tip = (f) => [
  `${f.text.variant} over ${f.text.against}`, f.text.label, ...(f.text.told ?? []), `difference ${f.text.absolute}`, `relative ${f.text.relative}`,
  ...(f.verdict.text ? [`${f.text.mark} ${f.verdict.text}`] : []),
];
