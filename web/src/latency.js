// Latency by percentile. The axis is logarithmic in the share that is slower, so
// that the tail has the room it deserves.

import { at, doc, group, levels } from './data.js';
import { axis, value } from './format.js';
import { choice } from './controls.js';
import { beside, heightFor, roomBeside } from './labels.js';
import { figureAxis, show, tooltip } from './panel.js';
import { ends, stepsIn } from './scale.js';
import { colour, lookOf } from './theme.js';

const place = (percentile) => -Math.log10(1 - percentile / 100);
const percentile = (x) => Number((100 * (1 - 10 ** -x)).toFixed(6));

// marks are the percentiles that the axis names where there is room, the first two always.
const marks = [95, 99, 50, 99.9, 90, 99.99, 99.999];
const markRoom = 34; // pixels

function marksIn(last, pixels) {
  const chosen = [];
  for (const [i, x] of marks.map(place).entries()) {
    if (x <= last + 0.02 && (i < 2 || chosen.every((c) => (Math.abs(c - x) / last) * pixels >= markRoom))) chosen.push(x);
  }
  return chosen.sort((a, b) => a - b);
}

// drawable leaves out the largest value of all, which has no place on the axis.
const drawable = (curve) => curve.points.filter((p) => p.percentile < 100 && p.seconds > 0);

export function latency(section) {
  const curves = (doc.curves ?? []).filter((c) => drawable(c).length > 1);
  section.hidden = curves.length === 0;
  const fill = (level) => {
    const own = curves.filter(at(level));
    show(section.querySelector('.panels'), 'Latency by percentile', [...new Set(own.map(group))].map((title) => ({
      title,
      draw: (width) => draw(own.filter((c) => group(c) === title), width),
    })));
  };
  if (levels.length > 1 && curves.length > 0) choice(section.querySelector('.controls'), 'Level', levels.map((text) => [text, text]), fill);
  else fill();
}

function draw(curves, width) {
  const points = curves.flatMap(drawable);
  const low = Math.min(...points.map((p) => p.low || p.seconds));
  const high = Math.max(...points.map((p) => p.high || p.seconds));
  const last = Math.max(...points.map((p) => place(p.percentile)));
  const log = high / low > 8;
  const names = curves.map((c) => c.variant);
  const right = roomBeside(names, width);
  const ticks = marksIn(last, width - right - 62);
  const height = heightFor(names, 260);
  return {
    height,
    option: {
      grid: { left: 8, right, top: log ? 26 : 12, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      xAxis: figureAxis({
        min: 0, max: last, splitLine: { lineStyle: { color: colour('grid') }, customValues: ticks },
        axisTick: { show: true, customValues: ticks }, axisLine: { show: true, onZero: false },
        axisLabel: { customValues: ticks, formatter: (x) => `p${percentile(x)}`, hideOverlap: true },
      }),
      yAxis: log ? logAxis(low, high) : linearAxis(low, high, height - 60),
      tooltip: tooltip(({ seriesIndex, dataIndex, seriesType }) => tip(curves[seriesIndex % curves.length], seriesType === 'line' ? dataIndex : 0)),
      series: [...curves.map(band), ...curves.map(line), beside(curves.map(lastOf), width)],
    },
  };
}

// lastOf is where a curve ends.
function lastOf(curve) {
  const p = drawable(curve).at(-1);
  return { name: curve.variant, end: [place(p.percentile), p.seconds] };
}

function linearAxis(low, high, pixels) {
  const { min, max, interval } = ends(low, high, stepsIn(pixels, 50));
  return figureAxis({ min, max, interval, axisLabel: { formatter: axis('s', max) } });
}

// logAxis has a line at 1, 2 and 5 of every decade that the figures reach.
function logAxis(low, high) {
  const ticks = [];
  for (let d = Math.floor(Math.log10(low)); d <= Math.log10(high); d++) for (const n of [1, 2, 5]) ticks.push(n * 10 ** d);
  const from = ticks.findLast((v) => v <= low) ?? low;
  const to = ticks.find((v) => v >= high) ?? high * 1.1;
  const customValues = ticks.filter((v) => v >= from && v <= to);
  return figureAxis({
    type: 'log', min: from, max: to, name: 'logarithmic', nameGap: 8, nameTextStyle: { color: colour('soft'), fontSize: 12, align: 'left' }, splitLine: { lineStyle: { color: colour('grid') }, customValues }, axisTick: { show: false, customValues },
    axisLabel: { customValues, formatter: (v) => axis('s', v)(v) },
  });
}

function band(curve, _, all) {
  const points = drawable(curve).filter((p) => p.low > 0);
  const look = lookOf(curve.variant);
  return {
    type: 'custom', silent: true, tooltip: { show: false }, clip: true,
    data: points.map((p) => [place(p.percentile), p.low, p.high]), encode: { x: 0, y: [1, 2] },
    renderItem: ({ dataIndex }, api) => dataIndex === 0 && ({
      type: 'polygon',
      shape: {
        points: [
          ...points.map((p) => api.coord([place(p.percentile), p.high])),
          ...points.map((p) => api.coord([place(p.percentile), p.low])).reverse(),
        ],
      },
      style: { fill: look.colour, opacity: all.length > 3 ? 0.07 : 0.14 },
    }),
  };
}

function line(curve, _, all) {
  const look = lookOf(curve.variant);
  return {
    type: 'line', name: curve.variant, symbol: look.symbol, symbolSize: all.length > 3 || curve.points.length > 12 ? 4 : 6, showAllSymbol: true,
    lineStyle: { color: look.colour, type: look.dash, width: 2 }, itemStyle: { color: look.colour },
    emphasis: { focus: 'series' }, blur: { lineStyle: { opacity: 0.2 } },
    data: drawable(curve).map((p) => [place(p.percentile), p.seconds]),
  };
}

function tip(curve, index) {
  const p = drawable(curve)[index];
  return [curve.variant, `p${p.percentile}: ${value(p.seconds, 's')}`, `runs from ${value(p.low, 's')} to ${value(p.high, 's')}`];
}
