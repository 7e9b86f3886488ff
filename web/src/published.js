// The lines that a study published over depth. They are of what tracing adds, so that they
// stand on our own baseline.

import { baseline, isFinite, study } from './data.js';
import { lookOf } from './theme.js';

// dots is how such a line is drawn.
export const dots = [1, 4];

// publishedLines are the curves that a published slope and base make, one for each variant
// and series that has both; none for other metrics than the time of a call.
export function publishedLines(curves) {
  if (!study || curves[0]?.metric !== 'time_per_call' || curves[0].parameter !== 'depth') return [];
  const ours = curves.find((s) => s.variant === baseline);
  const nought = (x) => ours?.points.find((p) => p.x === x)?.y ?? 0;
  return curves.flatMap((s) => (study.series ?? []).flatMap((_, series) => {
    const [slope, base] = ['slope', 'base'].map((metric) => figureOf(s, metric, series));
    if (!isFinite(slope) || !isFinite(base)) return [];
    return [{ variant: s.variant, points: s.points.map(({ x }) => [x, nought(x) + base + slope * x]) }];
  }));
}

// figureOf is what a series says of a variant on the operation of a curve, which has the
// workload before it where there are several.
function figureOf(curve, metric, series) {
  const name = (t, r) => (study.results.length > 1 ? `${t.workload}, ${r.operation}` : r.operation);
  for (const t of study.tables.filter((one) => one.metric === metric)) {
    const row = t.rows.find((r) => r.variant === curve.variant && name(t, r) === curve.operation);
    const found = row?.published?.find((p) => p.series === series);
    if (found) return found.value;
  }
  return undefined;
}

export const dotted = (order) => ({ variant, points }) => ({
  type: 'line', name: `${variant}, published`, symbol: 'none', silent: true, tooltip: { show: false },
  lineStyle: { color: lookOf(order.indexOf(variant)).colour, type: dots, width: 1.5 }, data: points,
});
