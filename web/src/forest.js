// What it costs: estimates and intervals, a row for each variant, by operation, in the order of the experiment.

import { baseline, byGroup, decided, isFinite, level, levels, metrics, of, ranked } from './data.js';
import { choice } from './controls.js';
import { ofDifference } from './format.js';
import { show, tooltip } from './panel.js';
import { extent, room, rowAxis, rowHeight, text, whisker } from './rows.js';
import { scaled } from './scale.js';
import { colour, lookOf, toneColour } from './theme.js';

const compared = (f) => f.against === baseline && (f.relative || f.absolute || f.verdict.kind);

export function forest(section) {
  const options = metrics((f) => compared(f) && !f.text.dark);
  section.hidden = options.length === 0;
  choice(section.querySelector('.controls'), 'Metric', options, (metric) => {
    show(section.querySelector('.panels'), 'Estimates with their intervals', [{ draw: (width) => draw(of(metric, compared), width) }]);
  });
}

function draw(list, width) {
  // Ratios where all have one that answers; a baseline of zero, or of nothing done, leaves
  // differences only.
  const relative = list.every((f) => (f.relative && !f.amount) || !f.absolute);
  // What it costs where no span came is no cost of tracing: it has no mark.
  const interval = (f) => (f.text.dark ? undefined : relative ? f.relative : f.absolute);
  const figure = (f) => (!interval(f) ? f.verdict.kind.replace('-', ' ') : relative ? f.text.relative : f.text.absolute);
  // The headline's figures stand above, in cards or checks: here is their verdict alone.
  const above = list.every((f) => f.text.above);
  const words = (f) => (f.text.dark ? 'no spans' : above ? f.text.mark : [f.text.mark, f.text.before, figure(f)].filter(Boolean).join(' '));
  const rows = rowsOf(list, interval);
  const budgets = [...new Set(list.filter((f) => relative === !f.verdict.budget_unit).map((f) => f.verdict.budget).filter(isFinite))];
  const scale = scaled(relative ? '1' : ofDifference(list[0].unit), list.map((f) => extent(interval(f))), { also: budgets });
  const wide = width > 620; // with room for names and figures beside the rows, not only above them
  const names = wide ? room(rows.map((r) => r.title ?? `  ${r.name}`), width, 0.3) : 2;
  const figures = wide ? room(list.map(words), width, 0.3) : 0;
  const top = budgets.length > 0 ? 20 : 4;

  const item = (params, api) => {
    const row = rows[params.dataIndex];
    const y = api.coord([0, params.dataIndex])[1];
    const edge = wide ? 0 : 8; // beside the line at nought
    if (row.title !== undefined) return { type: 'group', children: [text(edge, y, row.title, { bold: true, width: width - 4 })] };
    const i = interval(row.f);
    const tint = lookOf(row.f.variant).colour;
    const tone = toneColour(row.f.text.tone);
    const x = (v) => api.coord([scale.at(v), params.dataIndex])[0];
    const [line, mark] = wide ? [y, y] : [y - 11, y + 8];
    const figureRoom = wide ? figures - 12 : room([words(row.f)], width, 0.6);
    const children = [
      text(wide ? 14 : edge, line, row.name, { width: wide ? names - 22 : width - figureRoom - 16 }),
      wide ? text(width - figures + 12, line, words(row.f), { width: figureRoom, fill: tone }) : text(width - 2, line, words(row.f), { width: figureRoom, fill: tone, align: 'right' }),
    ];
    if (!i) return { type: 'group', children };
    if (isFinite(i.low) && isFinite(i.high)) children.push(...whisker(x(i.low), x(i.high), mark, tint));
    children.push({
      type: 'circle', shape: { cx: x(i.estimate), cy: mark, r: 4.5 },
      style: { fill: decided(i) ? tint : colour('paper'), stroke: tint, lineWidth: 2 },
    });
    return { type: 'group', children };
  };

  const right = figures + (wide ? 8 : 22);
  return {
    height: rows.length * (wide ? rowHeight : 42) + top + scale.room - 4,
    option: {
      grid: { left: names, right, top, bottom: scale.room - 4, outerBoundsMode: 'none' },
      xAxis: scale.axis(width - names - right, wide ? {} : { alignMinLabel: 'left' }),
      yAxis: rowAxis(rows),
      tooltip: tooltip(({ dataIndex }) => tip(rows[dataIndex])),
      series: [{
        type: 'custom', renderItem: item, clip: false,
        data: rows.map((r, i) => [i, ...scale.all(extent(r.f && interval(r.f)))]),
        encode: { x: [1, 2, 3], y: 0 },
        markLine: lines(budgets, scale),
      }],
    },
  };
}

// rowsOf has a title for each operation and a row for each variant; levels are rows of
// their operation.
function rowsOf(list, interval) {
  if (levels.length === 0) return byGroup(list).flatMap(([title, fs]) => [{ title }, ...ranked(fs, interval).map((f) => ({ f, name: f.text.variant }))]);
  const operations = [...new Set(list.map((f) => f.operation))];
  return operations.flatMap((operation) => {
    const own = list.filter((f) => f.operation === operation);
    const each = [...new Set(own.map(level))].flatMap((one) => ranked(own.filter((f) => level(f) === one), interval));
    return [{ title: operation || 'whole run' }, ...each.map((f) => ({ f, name: [level(f), f.text.variant].filter(Boolean).join(' · ') }))];
  });
}

// lines stand at zero and at the budgets.
const lines = (budgets, scale) => ({
  silent: true, symbol: 'none', label: { show: false },
  data: [
    { xAxis: scale.at(0), lineStyle: { color: colour('soft'), type: 'solid', width: 1 } },
    ...budgets.map((b) => ({
      xAxis: scale.at(b), lineStyle: { color: colour('bad'), type: 'dashed', width: 1 },
      label: { show: true, position: 'start', distance: 3, formatter: 'budget', color: colour('bad'), fontSize: 12 },
    })),
  ],
});

function tip({ title, f }) {
  if (!f) return [title];
  return [
    `${f.text.variant} against ${f.text.against}`, `${f.text.group} · ${f.text.label}`,
    ...(f.text.told ?? []),
    `${f.text.baseline} → ${f.text.value}`, `relative ${[f.text.before, f.text.relative].filter(Boolean).join(' ')}`, `difference ${f.text.absolute}`,
    ...(f.verdict.text ? [`${f.text.mark} ${f.verdict.text}`] : []),
  ];
}
