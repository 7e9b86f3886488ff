// Charts whose rows are variants: room for their names, and the parts that a
// forest plot and a ladder have in common.

import { oneLine } from './format.js';
import { colour } from './theme.js';

export const rowHeight = 26;

const pen = document.createElement('canvas').getContext('2d');

// widthOf is the width of text on the page, in pixels.
export function widthOf(text, bold) {
  pen.font = `${bold ? 600 : 400} 13px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

// measure is a function for the width of texts in one font.
export const measure = (font) => (text) => {
  if (pen.font !== font) pen.font = font;
  return pen.measureText(text).width;
};

// room is how wide the widest of the texts is, within a share of the chart.
export const room = (texts, width, share) => Math.ceil(Math.min(Math.max(0, ...texts.map((t) => widthOf(t, true))) + 14, width * share));

// text is an element of a custom series: one line, cut with an ellipsis.
export const text = (x, y, string, { width, align = 'left', bold = false, soft = false, fill } = {}) => ({
  type: 'text', silent: true,
  style: {
    x, y, text: oneLine(string), align, verticalAlign: 'middle', width, overflow: width ? 'truncate' : undefined, ellipsis: '…',
    font: `${bold ? 600 : 400} 13px ${getComputedStyle(document.body).fontFamily}`, fill: fill ?? colour(soft ? 'soft' : 'ink'),
  },
});

// whisker is an interval: a line with an end at each side.
export function whisker(from, to, y, stroke) {
  const line = (x1, y1, x2, y2) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth: 2 } });
  return [line(from, y, to, y), line(from, y - 6, from, y + 6), line(to, y - 6, to, y + 6)];
}

// rowAxis is the hidden axis of rows; the names are drawn by the series.
export const rowAxis = (rows) => ({ type: 'category', inverse: true, show: false, data: rows.map((_, i) => i) });

// extent is what an axis must have room for: an estimate and its interval.
export const extent = (i, start = 0) => [i?.estimate, i?.low, i?.high].map((v) => (v === null || v === undefined ? '-' : start + v));
