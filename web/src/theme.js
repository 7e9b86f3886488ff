// The colours of the page, light or dark, and the button that changes them.

const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

export const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);

// colour is a custom property of the style sheet, as it is now.
export const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

// A variant is told by its colour, its dashes and its symbol, never by colour alone.
const dashes = ['solid', 'solid', [6, 3], [2, 3], [9, 3, 2, 3], [12, 4], [4, 2], [1, 2]];
// Where there are more variants than colours, those of one colour have other dashes.
export const lookOf = (i) => {
  const [turn, n] = [Math.floor((i - 1) / 7), (i - 1) % 7];
  return i === 0 ? { colour: colour('c0'), dash: dashes[0] } : { colour: colour(`c${1 + n}`), dash: dashes[1 + ((n + 3 * turn) % 7)] };
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
