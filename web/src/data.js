// The document that the page holds, and the questions that the charts ask of it.

const { document: doc, figures, order, baseline, replication, names, looks, entries, bars, paints, points, costs, lines, services: told, flames: folded, ways, causes: why } = JSON.parse(document.getElementById('findings').textContent);

export { doc, baseline, replication, looks, entries, paints };

// sweeps are the curves, with the texts of their points.
export const sweeps = (doc.sweeps ?? []).map((s, i) => ({ ...s, points: (s.points ?? []).map((p, n) => ({ ...p, text: points[i][n] })) }));

// decisions are the ways of tracing beside each other, with their texts.
export const decisions = (ways ? doc.decisions : []).map((d, i) => ({ ...d, ways: d.ways.map((w, n) => ({ ...w, text: ways[i][n] })) }));

// services are what each of them costs, with the texts; and calls say who calls whom.
export const services = (told ? doc.services : []).map((c, i) => ({ ...c, text: told[i] }));
export const calls = doc.calls ?? [];

// causes are what each variant adds, by what it is spent on.
export const causes = why ?? [];

// flames are the stacks of what was profiled.
export const flames = folded ?? [];

// tables are those of a replication, with the texts of their costs.
export const tables = (replication?.tables ?? []).map((t, i) => ({ ...t, rows: (t.rows ?? []).map((r, n) => ({ ...r, text: costs[i][n] })) }));

// ledgers are those that have a bar: something became of their spans but that they came.
export const ledgers = bars.map((i) => doc.ledgers[i]);

// nameOf is what a reader calls a metric.
export const nameOf = (metric) => names[metric] ?? metric;

// linesOf are the lines that a study published of a metric of an operation.
export const linesOf = ({ operation, metric }) => (lines ?? []).filter((l) => l.operation === operation && l.metric === metric);

// Every finding with its figures in words, in a reader's order.
export const findings = order.map((i) => ({ ...doc.findings[i], index: i, text: figures[i] }));

// variants in the experiment's order, and any that only the findings name.
export const variants = [...new Set([
  ...(doc.experiment.variants ?? []).map((v) => v.name),
  ...findings.flatMap((f) => [f.against, f.variant]),
])];

// key tells metrics apart: a metric by role and service.
const key = (f) => `${f.metric}\n${f.role ?? ''}${f.service ? ` of ${f.service}` : ''}`;

// metrics lists [key, label] of the findings that pass, in a reader's order:
// those over all roles first, the parts by role after them.
export function metrics(pass) {
  const seen = new Map();
  for (const f of findings) if (pass(f)) seen.set(key(f), f.text.label);
  const isRole = ([k]) => (k.endsWith('\n') ? 0 : 1);
  return [...seen].sort((a, b) => isRole(a) - isRole(b));
}

// of returns the findings of one metric that pass.
export const of = (metric, pass = () => true) => findings.filter((f) => key(f) === metric && pass(f));

// level names what was varied, and group an operation at its level, as the tables do.
export const level = ({ parameter }) => Object.entries(parameter ?? {}).sort().map(([name, v]) => `${name}=${v}`).join(', ');
export const group = (f) => [f.operation || 'whole run', level(f)].filter(Boolean).join(', ');

// levels are all levels, where there are several of any operation.
export const levels = (() => {
  const all = new Map();
  for (const f of findings) if (level(f)) all.set(f.operation, (all.get(f.operation) ?? new Set()).add(level(f)));
  return [...new Set([...all.values()].filter((s) => s.size > 1).flatMap((s) => [...s]))];
})();

// at reports whether something is of a level that was chosen from levels; what has no
// level is of every one.
export const at = (chosen) => (f) => levels.length === 0 || !levels.includes(level(f)) || level(f) === chosen;

// worse is how much worse something is by a difference, for what is better.
export const worse = (difference, better) => (better === 'higher' ? -difference : difference);

// ranked is in the order of the experiment, as everywhere; below them those that lost spans, and then those without a figure.
export function ranked(list, interval) {
  const rank = (f) => (isFinite(interval(f)?.estimate) ? (f.text.apart ? 1 : 0) : 2);
  return [...list].sort((a, b) => rank(a) - rank(b));
}

// byGroup splits findings by operation and parameter: [[title, findings], …].
export function byGroup(list) {
  const groups = new Map();
  for (const f of list) {
    if (!groups.has(f.text.group)) groups.set(f.text.group, []);
    groups.get(f.text.group).push(f);
  }
  return [...groups];
}

export const isFinite = (v) => typeof v === 'number' && Number.isFinite(v);

// decided reports whether the interval lies on one side of zero.
export const decided = (i) => isFinite(i?.low) && isFinite(i?.high) && (i.low > 0 || i.high < 0);
