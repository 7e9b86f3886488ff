// The axis of figures: its ends are round, and it is logarithmic where one row would
// flatten all others.

import { isFinite } from './data.js';
import { axis } from './format.js';
import { figureAxis } from './panel.js';
import { colour } from './theme.js';

// outlier is how many times as long as the median of the others a row may be on a linear
// axis: beyond, half of them have less than a tenth of the room.
const outlier = 10;

// near keeps what is a round figure already, but for the binary fraction, where it is.
const near = 1e-9;

const round = [1, 2, 5, 10];

// roundUp and roundDown are the next 1, 2 or 5 of a decade.
function roundUp(v) {
  const ten = 10 ** Math.floor(Math.log10(v));
  return Number((round.find((n) => n * ten >= v * (1 - near)) * ten).toPrecision(1));
}

function roundDown(v) {
  const ten = 10 ** Math.floor(Math.log10(v));
  return Number((round.findLast((n) => n * ten <= v * (1 + near)) * ten).toPrecision(1));
}

// ends are those of a linear axis with about so many steps, and the step.
export function ends(low, high, steps) {
  const top = high > low ? high : low + (Math.abs(low) || 1);
  const interval = roundUp((top - low) / steps);
  return { min: Math.floor(low / interval + near) * interval, max: Math.ceil(top / interval - near) * interval, interval };
}

// stepsIn is how many steps an axis has room for.
export const stepsIn = (pixels, each) => Math.max(2, Math.min(6, Math.floor(pixels / each)));

// medianOfRest is the median of the rows but the longest, where that one flattens them;
// otherwise undefined. A row is the figures that are drawn in it.
export function medianOfRest(rows) {
  const sizes = rows.map((row) => Math.max(0, ...row.filter(isFinite).map(Math.abs))).filter((size) => size > 0).sort((a, b) => a - b);
  if (sizes.length < 3) return undefined;
  const longest = sizes.pop();
  const median = sizes[Math.floor(sizes.length / 2)];
  return longest > outlier * median ? median : undefined;
}

// scaled is the axis of rows of figures: at is where on it a figure stands, axis its
// options for so many pixels, upright those of one at the side, room the height of what stands below a horizontal one. It
// has room for the figures that stand in no row too, in also, and for nought but with
// zero: false.
export function scaled(unit, rows, { also = [], zero = true, log = true } = {}) {
  const all = [...rows.flat(), ...also, ...(zero ? [0] : [])].filter(isFinite);
  const [low, high] = all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 1];
  const within = log ? medianOfRest(rows) : undefined;
  return placing(within === undefined ? linear(unit, low, high) : logarithmic(unit, low, high, roundDown(within)));
}

// placing adds to an axis where several figures stand; what is none stays as it is.
const placing = (scale) => ({ ...scale, all: (figures) => figures.map((v) => (isFinite(v) ? scale.at(v) : v)) });

function linear(unit, low, high) {
  const options = (pixels, each, label) => {
    const { min, max, interval } = ends(low, high, stepsIn(pixels, each));
    return figureAxis({ min, max, interval, axisLabel: { formatter: axis(unit, Math.max(Math.abs(min), Math.abs(max))), ...label } });
  };
  return { log: false, room: 34, at: (v) => v, axis: (pixels, label) => options(pixels, 84, label), upright: (pixels) => options(pixels, 50) };
}

// logarithmic is linear about nought, where figures have either sign, and logarithmic
// beyond so much on either side. The axis says so.
function logarithmic(unit, low, high, beyond) {
  const at = (v) => Math.sign(v) * Math.log10(1 + Math.abs(v) / beyond);
  const back = (t) => Math.sign(t) * beyond * (10 ** Math.abs(t) - 1);
  const label = (v) => axis(unit, Math.abs(v))(Number(v.toPrecision(6)));
  const side = (end) => {
    const last = end > 0 ? roundUp(end) : 0;
    const ticks = last > 0 ? [last] : [];
    for (let v = beyond; v < last / 1.9; v *= 10) ticks.push(Number(v.toPrecision(1)));
    return ticks.sort((a, b) => a - b);
  };
  const ticks = [...side(-low).map((v) => -v).reverse(), 0, ...side(high)].map(at);
  const name = `logarithmic beyond ${low < 0 ? '±' : ''}${label(beyond)}`;
  const options = (more, labels) => figureAxis({
    min: ticks[0], max: ticks.at(-1), name, nameTextStyle: { color: colour('soft'), fontSize: 12 },
    splitLine: { lineStyle: { color: colour('grid') }, customValues: ticks }, axisTick: { show: false, customValues: ticks },
    axisLabel: { customValues: ticks, formatter: (t) => label(back(t)), ...labels }, ...more,
  });
  return {
    log: true, room: 52, at, axis: (_, labels) => options({ nameLocation: 'middle', nameGap: 26 }, labels),
    upright: () => options({ nameLocation: 'end', nameGap: 8, nameTextStyle: { color: colour('soft'), fontSize: 12, align: 'left' } }),
  };
}
