// Figures on axes and of single runs. The figures of findings come in words from
// the document, so that they read the same everywhere.

const scales = {
  s: [[1e-9, ' ns'], [1e-6, ' µs'], [1e-3, ' ms'], [1, ' s']],
  bytes: [[1, ' B'], [1e3, ' kB'], [1e6, ' MB'], [1e9, ' GB']],
  1: [[1e-2, ' %']],
  '1/s': [[1, '/s']],
  count: [[1, '']],
  points: [[1e-2, ' points']],
};

// ofDifference is the unit of a difference: shares differ by points.
export const ofDifference = (unit) => (unit === '1' ? 'points' : unit);

function scale(v, unit) {
  const steps = scales[unit] ?? [[1, ` ${unit}`]];
  return steps.findLast(([per]) => Math.abs(v) >= per * 0.9995) ?? steps[0];
}

const sign = (text) => text.replace('-', '−');

// value gives one figure to three digits: "31.2 µs".
export function value(v, unit) {
  if (v === 0 && unit === 's') return '0 s';
  const [per, name] = scale(v, unit);
  const shown = v / per;
  const whole = Math.abs(shown) >= 100;
  return sign(shown.toLocaleString('en-US', whole ? { maximumFractionDigits: 0 } : { minimumSignificantDigits: 3, maximumSignificantDigits: 3 })) + name;
}

// axis returns a formatter for ticks, all in the step of the unit that suits the
// largest, with no more digits than a tick needs.
export function axis(unit, largest) {
  const [per, name] = scale(largest, unit);
  return (v) => sign(String(Number((v / per).toPrecision(4)).toLocaleString('en-US', { maximumFractionDigits: 6 }))) + (v === 0 && unit !== '1' ? '' : name);
}

// oneLine makes a name fit for a line of a chart: a chart's text obeys line
// breaks and marks of direction, and would run into its neighbours.
export const oneLine = (text) => text.replace(/[\s\p{Cc}]+/gu, ' ').replace(/\p{Bidi_Control}/gu, '');

// held lets no line end within a figure: between a number and its unit, or in an interval.
const figures = /\([^()]*\d to [^()]*\)|\d (?:%|[nµm]?s|[kMG]?B|CPUs?|points)(?![a-zA-Z])/g;

export const held = (text) => text.replace(figures, (figure) => figure.replaceAll(' ', '\u00a0'));
