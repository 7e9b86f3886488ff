// The lines that a study published over depth. They are of what tracing adds, so that they
// stand on our own baseline.

import { isFinite, study } from './data.js';
import { lookOf } from './theme.js';

// dots is how such a line is drawn.
export const dots = [1, 4];

// publishedLines are the curves that a published slope and base make, one for each variant
// and series that has both; none for other metrics than the time of a call. Where our own
// baseline has no point they have none.
export function publishedLines(curves) {
  if (!study || curves[0]?.metric !== 'time_per_call' || curves[0].parameter !== 'depth') return [];
  return curves.flatMap((s) => (study.series ?? []).flatMap((_, series) => {
    const [slope, base] = ['slope', 'base'].map((metric) => figureOf(s, metric, series));
    const ours = new Map((curves.find((c) => c.variant === slope?.baseline)?.points ?? []).map((p) => [p.x, p.y]));
    if (!slope || !base || ours.size === 0) return [];
    return [{ variant: s.variant, points: s.points.filter(({ x }) => ours.has(x)).map(({ x }) => [x, ours.get(x) + base.value + slope.value * x]) }];
  }));
}

// figureOf is what a series says of a variant on the operation of a curve, which has the
// workload before it where there are several, and over which baseline.
function figureOf(curve, metric, series) {
  const name = (t, r) => (study.results.length > 1 ? `${t.workload}, ${r.operation}` : r.operation);
  for (const t of study.tables.filter((one) => one.metric === metric)) {
    const row = t.rows.find((r) => r.variant === curve.variant && name(t, r) === curve.operation);
    const found = row?.published?.find((p) => p.series === series);
    if (isFinite(found?.value)) return { value: found.value, baseline: t.baseline };
  }
  return undefined;
}

export const dotted = (order) => ({ variant, points }) => ({
  type: 'line', name: `${variant}, published`, symbol: 'none', silent: true, tooltip: { show: false },
  lineStyle: { color: lookOf(order.indexOf(variant)).colour, type: dots, width: 1.5 }, data: points,
});
