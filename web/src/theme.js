// The colours of the page, light or dark, and the button that changes them.

import { paints } from './data.js';

const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

export const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);

// colour is a custom property of the style sheet, as it is now.
export const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

// mix is a colour between two of them, whose names are given: a part of the way to the second.
export function mix(from, to, part) {
  const [a, b] = [from, to].map((name) => [1, 3, 5].map((i) => parseInt(colour(name).slice(i, i + 2), 16)));
  return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * part)).join(',')})`;
}

// A variant has a hue, and a symbol too, for those who do not tell hues; where there are more variants than hues, those of one are
// told by their dashes and other symbols, and by their names wherever there is room.
const dashes = ['solid', [6, 3], [2, 3], [9, 3, 2, 3], [12, 4], [4, 2], [9, 2, 2, 2, 2, 2]];
const symbols = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle'];

// lookOf is how a variant is drawn.
export const lookOf = (variant) => {
  const { colour: n, mark } = paints[variant] ?? { colour: 0, mark: 1 };
  return { colour: colour(`c${n}`), dash: dashes[mark % dashes.length], symbol: symbols[(n + mark) % symbols.length] };
};

// toneColour is the colour of what a verdict means.
export const toneColour = (tone) => colour(tone || 'same');

// watchTheme calls back whenever the colours change: by the button, by the
// system, and to light ones while the page is printed.
export function watchTheme(changed) {
  const button = document.getElementById('theme');
  const show = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', `Change to ${isDark() ? 'light' : 'dark'} colours`);
    changed();
  };
  button.hidden = false;
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    show();
  });
  system.addEventListener('change', show);

  let before;
  window.addEventListener('beforeprint', () => {
    before = root.dataset.theme;
    root.dataset.theme = 'light';
    for (const d of document.querySelectorAll('details')) d.open = true;
    changed();
  });
  window.addEventListener('afterprint', () => {
    if (before) root.dataset.theme = before;
    else delete root.dataset.theme;
    changed();
  });
  show();
}
