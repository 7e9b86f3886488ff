// What it costs: estimates and intervals, a row for each variant, by operation.

import { baseline, byGroup, decided, isFinite, level, levels, metrics, of } from './data.js';
import { axis } from './format.js';
import { choice } from './controls.js';
import { figureAxis, show, tooltip } from './panel.js';
import { extent, room, rowAxis, rowHeight, text, whisker } from './rows.js';
import { colour, toneColour } from './theme.js';

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
  const words = (f) => (f.text.dark ? 'no spans' : [f.text.mark, f.text.before, figure(f)].filter(Boolean).join(' '));
  const unit = relative ? '1' : list[0].unit;
  const rows = rowsOf(list);
  const wide = width > 620;
  const names = room(rows.map((r) => r.title ?? `  ${r.name}`), width, wide ? 0.3 : 0.36);
  const top = relative && list.some((f) => isFinite(f.verdict.budget)) ? 20 : 4;
  const figures = wide ? room(list.map(words), width, 0.3) : 0;
  const high = Math.max(...list.flatMap((f) => extent(interval(f))).filter(isFinite).map(Math.abs));

  const item = (params, api) => {
    const row = rows[params.dataIndex];
    const y = api.coord([0, params.dataIndex])[1];
    if (row.title !== undefined) return { type: 'group', children: [text(0, y, row.title, { bold: true, width: width - 4 })] };
    const i = interval(row.f);
    const tint = toneColour(row.f.text.tone);
    const x = (v) => api.coord([v, params.dataIndex])[0];
    const children = [text(14, y, row.name, { width: names - 22 })];
    if (wide || !i) children.push(text(i || wide ? width - figures + 12 : x(0) + 10, y, words(row.f), { width: wide ? figures - 12 : undefined }));
    if (!i) return { type: 'group', children };
    if (isFinite(i.low) && isFinite(i.high)) children.push(...whisker(x(i.low), x(i.high), y, tint));
    children.push({
      type: 'circle', shape: { cx: x(i.estimate), cy: y, r: 4.5 },
      style: { fill: decided(i) ? tint : colour('paper'), stroke: tint, lineWidth: 2 },
    });
    return { type: 'group', children };
  };

  return {
    height: rows.length * rowHeight + 30 + top,
    option: {
      grid: { left: names, right: figures + (wide ? 8 : 20), top, bottom: 30, outerBoundsMode: 'none' },
      xAxis: figureAxis({ axisLabel: { formatter: axis(unit, high) } }),
      yAxis: rowAxis(rows),
      tooltip: tooltip(({ dataIndex }) => tip(rows[dataIndex])),
      series: [{
        type: 'custom', renderItem: item, clip: false,
        data: rows.map((r, i) => [i, ...extent(r.f && interval(r.f))]),
        encode: { x: [1, 2, 3], y: 0 },
        markLine: lines(list, relative),
      }],
    },
  };
}

// rowsOf has a title for each operation and a row for each variant; levels are rows of
// their operation.
function rowsOf(list) {
  if (levels.length === 0) return byGroup(list).flatMap(([title, fs]) => [{ title }, ...fs.map((f) => ({ f, name: f.text.variant }))]);
  const operations = [...new Set(list.map((f) => f.operation))];
  return operations.flatMap((operation) => [
    { title: operation || 'whole run' },
    ...list.filter((f) => f.operation === operation).map((f) => ({ f, name: [level(f), f.text.variant].filter(Boolean).join(' · ') })),
  ]);
}

// lines stand at zero and at the budget, where there is one for ratios.
function lines(list, relative) {
  const budgets = relative ? [...new Set(list.map((f) => f.verdict.budget).filter(isFinite))] : [];
  return {
    silent: true, symbol: 'none', label: { show: false },
    data: [
      { xAxis: 0, lineStyle: { color: colour('soft'), type: 'solid', width: 1 } },
      ...budgets.map((b) => ({
        xAxis: b, lineStyle: { color: colour('bad'), type: 'dashed', width: 1 },
        label: { show: true, position: 'start', distance: 3, formatter: 'budget', color: colour('bad'), fontSize: 12 },
      })),
    ],
  };
}

function tip({ title, f }) {
  if (!f) return [title];
  return [
    `${f.text.variant} against ${f.text.against}`, `${f.text.group} · ${f.text.label}`,
    ...(f.text.told ?? []),
    `${f.text.baseline} → ${f.text.value}`, `relative ${[f.text.before, f.text.relative].filter(Boolean).join(' ')}`, `difference ${f.text.absolute}`,
    ...(f.verdict.text ? [`${f.text.mark} ${f.verdict.text}`] : []),
  ];
}

