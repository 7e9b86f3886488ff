// Where an operation uses its CPU: by cause, and in each cause by function, every one below its caller.

import { flames as all } from './data.js';
import { choice, legend } from './controls.js';
import { held, oneLine, value } from './format.js';
import { show, tooltip } from './panel.js';
import { measure } from './rows.js';
import { colour, mix } from './theme.js';

const row = 20; // height
const rows = 36; // that are drawn at most
const above = 6; // callers of what is opened that are drawn at most
const thin = 0.5; // pixels: what is narrower is not drawn

export function flames(section) {
  if (all.length === 0) return undefined;
  const place = section.querySelector('.charted');
  const controls = place.querySelector('.controls');
  const status = document.createElement('p');
  status.className = 'lead told';
  status.setAttribute('role', 'status');
  const further = document.createElement('p');
  further.className = 'lead';
  further.textContent = 'Some functions call further ones below: open one to see them.';
  place.append(status, further);
  const graph = new Graph(place, status, further);
  const explain = () => legend(place.querySelector('.legend'), !(graph.base >= 0) ? [] : [['adds', 1], ['as before', 0], ['less', -1], ['gone', -1]].map(([text, share]) => [
    text, 'rect', { x: 6, y: 0, width: 13, height: 11, fill: changed(share), ...(text === 'gone' ? { stroke: colour('cheap'), 'stroke-dasharray': '3 2' } : {}) },
  ]));
  const names = [...new Set(all.flatMap((f) => f.variants))];
  const sides = [...new Set(all.flatMap((f) => f.pairs.map((pair) => JSON.stringify(pair.map((i) => f.variants[i])))).concat(names.map((name) => JSON.stringify([name]))))];
  const set = (name) => (chosen) => { graph.choose(name, chosen); explain(); };
  choice(controls, 'Operation', all.map((f, i) => [String(i), f.group]), set('operation'));
  choice(controls, 'Shown', sides.map((text) => [text, JSON.parse(text).join(' against ')]), set('sides'));
  choice(controls, 'By', [['task', 'task'], ['stage', 'stage']], set('axis'));
  controls.append(searchFor((text) => graph.search(text)), graph.back);
  return explain;
}

function searchFor(changed) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.type = 'search';
  input.autocomplete = 'off';
  input.addEventListener('input', () => changed(input.value));
  label.append('Search', input);
  return label;
}

// changed is the colour of a share of a function that is added, or less.
const changed = (share) => mix('wash-same', share < 0 ? 'cheap' : 'dear', 0.45 * Math.min(1, Math.abs(share)));

// A spot is a cause, { block }, or a function in one, { group, node }. It has a place in the drawing, and its caller there.
class Graph {
  constructor(place, status, further) {
    this.place = place;
    this.status = status; // says in words what is picked, or found
    this.further = further; // says that there is more below
    this.asked = {};
    this.wanted = '';
    this.frame = document.createElement('div'); // around what the keyboard is at
    this.frame.className = 'picked';
    this.back = document.createElement('button');
    this.back.type = 'button';
    this.back.textContent = 'Whole';
    this.back.addEventListener('click', () => this.open(this.way[0]));
  }

  choose(name, chosen) {
    this.asked[name] = chosen;
    const { operation = '0', sides, axis } = this.asked;
    if (!sides || !axis) return; // all are chosen in turn, at first
    const data = all[operation];
    const [now, base] = JSON.parse(sides).map((variant) => data.variants.indexOf(variant));
    this.data = data;
    this.tree = unfold(data);
    [this.now, this.base] = now < 0 || base < 0 ? (data.pairs[0] ?? [0, -1]) : [now, base ?? -1];
    this.groups = grouped(data, this.tree, axis, this.now, this.base);
    this.way = [{ block: whole(this.groups) }];
    this.picked = 0;
    this.find();
    const title = [this.data.group, [this.now, this.base].filter((i) => i >= 0).map((i) => data.variants[i]).join(' against ')].join(': ');
    [this.panel] = show(this.place.querySelector('.panels'), 'Flame graph by cause', [{ title, draw: (width) => this.draw(width) }]);
    this.listen(this.panel.element);
    if (this.found) this.tellFound();
    else this.tell();
  }

  // listen makes the drawing one for the keyboard.
  listen(element) {
    element.tabIndex = 0;
    element.setAttribute('role', 'application');
    element.setAttribute('aria-label', `${element.getAttribute('aria-label')} Arrows move between functions, Enter opens one, Escape goes back.`);
    element.append(this.frame);
    element.addEventListener('focus', () => this.pick(this.picked));
    element.addEventListener('keydown', (event) => {
      const go = this.keys()[event.key];
      if (!go || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      go();
    });
  }

  keys() {
    const at = this.drawn[this.picked];
    const beside = (step) => {
      const level = this.drawn.map((d, i) => [d, i]).filter(([d]) => d.row === at.row).sort(([a], [b]) => a.x - b.x);
      return level[level.findIndex(([d]) => d === at) + step]?.[1];
    };
    return {
      ArrowUp: () => this.pick(at.up),
      ArrowDown: () => this.pick(this.drawn.findIndex((d) => d.up === this.picked)), // the largest comes first
      ArrowLeft: () => this.pick(beside(-1)),
      ArrowRight: () => this.pick(beside(1)),
      Home: () => this.open(this.way[0]),
      Enter: () => this.open(at.spot),
      ' ': () => this.open(at.spot),
      Escape: () => this.open(this.way.at(-2)),
      Backspace: () => this.open(this.way.at(-2)),
    };
  }

  // pick marks what the keyboard is at.
  pick(i) {
    if (!(i >= 0)) return;
    this.picked = i;
    this.frameIt();
    this.tell();
  }

  frameIt() {
    const { x, row: level, w } = this.drawn[this.picked];
    Object.assign(this.frame.style, { left: `${x}px`, top: `${level * row}px`, width: `${Math.max(3, w)}px`, height: `${row}px` });
  }

  // open zooms to a spot: to one that is drawn, or to one on the way to it.
  open(spot) {
    if (!spot) return;
    const known = this.way.indexOf(spot);
    if (known >= 0) {
      this.way = this.way.slice(0, known + 1);
    } else {
      const further = [];
      for (let i = this.drawn.findIndex((d) => d.spot === spot); i >= 0 && !this.way.includes(this.drawn[i].spot); i = this.drawn[i].up) further.unshift(this.drawn[i].spot);
      this.way.push(...further);
    }
    this.panel.redraw();
    this.panel.chart.dispatchAction({ type: 'hideTip' });
    this.pick(this.drawn.findIndex((d) => d.spot === spot));
  }

  search(text) {
    this.wanted = text;
    this.find();
    this.panel.redraw();
    if (this.found) this.tellFound();
    else this.tell();
  }

  // find looks for the functions whose name or file has what is wanted.
  find() {
    const wanted = this.wanted.trim().toLowerCase();
    this.hits = wanted ? Uint8Array.from(this.data.frames, (frame) => frame.some((text) => text.toLowerCase().includes(wanted))) : null;
    this.found = null;
    if (!this.hits) return;
    const { up, of } = this.tree;
    const within = new Uint8Array(up.length); // it, or one that called it, is a hit
    this.found = { size: 0, now: 0, base: 0, functions: this.hits.reduce((n, hit) => n + hit, 0) };
    for (let i = 0; i < up.length; i += 1) {
      const before = up[i] >= 0 && within[up[i]];
      within[i] = before || this.hits[of[i]];
      if (!within[i] || before) continue; // what it calls is in it
      for (const group of this.groups) {
        this.found.now += group.now[i];
        this.found.base += group.base[i];
      }
    }
  }

  // tell says what is picked, and tellFound what is found.
  tell() {
    const at = this.drawn?.[this.picked]?.spot;
    this.status.textContent = at ? held(this.lines(at).join(' · ')) : '';
  }

  tellFound() {
    const { functions: n } = this.found;
    const text = n === 0 ? `No function has “${oneLine(this.wanted.trim()).slice(0, 80)}”.`
      : `${n.toLocaleString('en-US')} ${n === 1 ? 'function' : 'functions'} with what they call: ${this.amounts(this.found).join(', ')}`;
    this.status.textContent = held(text);
  }

  lines(spot) {
    return [...this.nameOf(spot), ...this.amounts(this.sizeOf(spot))].filter(Boolean).map((text) => oneLine(text).slice(0, 300));
  }

  // amounts are the figures of a spot in words.
  amounts({ now, base }) {
    const whole = this.sizeOf(this.way[0]).now;
    const { variants } = this.data;
    if (this.base < 0) return [`${value(now, 's')} per operation`, ...(whole > 0 ? [`${value(now / whole, '1')} of ${variants[this.now]}`] : [])];
    return [`${variants[this.now]} ${value(now, 's')}`, `${variants[this.base]} ${value(base, 's')}`, `${now > base ? '+' : ''}${value(now - base, 's')} per operation`];
  }

  nameOf({ block, node }) { return block ? [block.name, ''] : this.data.frames[this.tree.of[node]]; }

  sizeOf({ block, group, node }) { return block ?? { size: group.size[node], now: group.now[node], base: group.base[node] }; }

  // inside are the spots below one, the largest first.
  inside({ block, group, node }) {
    if (block?.inside) return block.inside.map((one) => ({ block: one }));
    const of = group ?? block.group;
    const list = [];
    for (let i = block ? this.tree.first : this.tree.calls[node]; i >= 0; i = this.tree.next[i]) if (of.size[i] > 0) list.push({ group: of, node: i });
    return list.sort((a, b) => of.size[b.node] - of.size[a.node]);
  }

  // layOut places what is wide enough to be seen: what leads to the opened one over the whole width, and all below it.
  layOut(width) {
    const drawn = [];
    const put = (spot, up, level, x, w) => drawn.push({ spot, up, row: level, x, w }) - 1;
    const path = this.way.length > above ? [this.way[0], ...this.way.slice(1 - above)] : this.way;
    path.forEach((spot, i) => put(spot, i - 1, i, 0, width));
    const opened = path.length - 1;
    const scale = width / (this.sizeOf(path[opened]).size || 1);
    this.deeper = false;
    const fill = (i) => {
      const { spot, row: level, x } = drawn[i];
      let from = x;
      for (const one of this.inside(spot)) {
        const w = this.sizeOf(one).size * scale;
        if (w < thin) break; // the others are narrower still
        if (level + 1 >= opened + rows) {
          this.deeper = true;
          break;
        }
        fill(put(one, i, level + 1, from, w));
        from += w;
      }
    };
    fill(opened);
    return drawn;
  }

  draw(width) {
    const drawn = this.layOut(width); // the library asks for what it has drawn also when there is something else
    this.drawn = drawn;
    this.picked = Math.min(this.picked, this.drawn.length - 1);
    this.frameIt();
    this.back.hidden = this.way.length === 1;
    this.further.hidden = !this.deeper;
    const ink = colour('ink');
    const family = getComputedStyle(document.body).fontFamily;
    const [plain, bold] = [400, 600].map((weight) => `${weight} 12px ${family}`);
    const height = (1 + Math.max(...drawn.map((d) => d.row))) * row;
    const paint = this.paints();
    const item = ({ dataIndex }) => {
      const { spot, x, w, row: level } = drawn[dataIndex];
      const y = level * row;
      const { now, base } = this.sizeOf(spot);
      const hit = this.hits && !spot.block && this.hits[this.tree.of[spot.node]];
      const gone = this.base >= 0 && now <= 0 && base > 0;
      const children = [{
        type: 'rect', shape: { x, y, width: Math.max(thin, w > 3 ? w - 1 : w), height: row - 1 },
        style: {
          fill: paint(spot), opacity: this.hits && !hit ? 0.4 : 1,
          ...(hit ? { stroke: ink, lineWidth: 1.5 } : gone && w > 3 ? { stroke: colour('cheap'), lineWidth: 1, lineDash: [3, 2] } : {}),
        },
      }];
      const font = spot.block ? bold : plain;
      const name = w > 24 ? fitting(this.nameOf(spot)[0], w - 8, measure(font)) : '';
      if (name) {
        children.push({
          type: 'text', silent: true,
          style: { x: x + 4, y: y + row / 2 - 0.5, text: name, verticalAlign: 'middle', font, fill: ink, opacity: this.hits && !hit ? 0.7 : 1 },
        });
      }
      return { type: 'group', children };
    };
    return {
      height,
      click: ({ dataIndex }) => this.open(drawn[dataIndex].spot),
      option: {
        tooltip: tooltip(({ dataIndex }) => this.lines(drawn[dataIndex].spot)),
        series: [{ type: 'custom', coordinateSystem: 'none', renderItem: item, progressive: 0, emphasis: { disabled: true }, data: drawn.map((_, i) => [i]) }],
      },
    };
  }

  // paints is the colour of each spot: what is added, or the cause.
  paints() {
    const known = new Map();
    const of = (key, make) => known.get(key) ?? known.set(key, make()).get(key);
    return (spot) => {
      const { size, now, base } = this.sizeOf(spot);
      if (this.base >= 0) {
        const share = Math.round(((now - base) / (size || 1)) * 40) / 40;
        return of(share, () => changed(share));
      }
      const tint = (spot.block ?? spot.group.block).tint;
      const part = spot.block ? 0.55 : this.tree.of[spot.node] % 2 ? 0.4 : 0.32;
      return of(tint * 2 + part, () => mix('paper', `c${tint}`, part));
    };
  }
}

// unfold makes what can be gone through of a tree as the page holds it.
function unfold({ up: back, of }) {
  const n = of.length;
  const [up, calls, next] = [new Int32Array(n), new Int32Array(n).fill(-1), new Int32Array(n).fill(-1)];
  let first = -1;
  for (let i = n - 1; i >= 0; i -= 1) {
    up[i] = back[i] > 0 ? i - back[i] : -1;
    if (up[i] >= 0) [next[i], calls[up[i]]] = [calls[up[i]], i];
    else [next[i], first] = [first, i];
  }
  return { up, of, first, calls, next };
}

// grouped are the causes of an axis: how much is in each node, with what it calls, on both sides; its size is the larger
// side's, by what was found in each function itself, so that no one is wider than its caller.
function grouped({ kinds, own, unit, variants }, { up }, axis, now, base) {
  const byName = new Map();
  const groups = kinds.map((kind) => {
    const path = kind[axis];
    const key = JSON.stringify(path.map(({ name }) => name));
    if (!byName.has(key)) {
      const amounts = () => new Float64Array(up.length);
      byName.set(key, { path, size: amounts(), now: amounts(), base: amounts(), all: { size: 0, now: 0, base: 0 } });
    }
    return byName.get(key);
  });
  const list = [...byName.values()];
  let node = -1;
  for (let i = 0; i < own.length; i += 2 + variants.length) {
    node += own[i];
    const group = groups[own[i + 1]];
    const [b, n] = [base < 0 ? 0 : own[i + 2 + base] * unit, own[i + 2 + now] * unit];
    if (node < 0) {
      group.all.now += n;
      group.all.base += b;
    } else {
      group.now[node] += n;
      group.base[node] += b;
    }
  }
  const larger = (b, n) => Math.max(0, b, n);
  for (const { size, now: n, base: b, all: sum } of list) {
    sum.size = larger(sum.base, sum.now);
    for (let i = 0; i < up.length; i += 1) size[i] = larger(b[i], n[i]);
    for (let i = up.length - 1; i >= 0; i -= 1) { // callers stand before those that they call
      if (up[i] < 0) {
        sum.size += size[i];
        sum.now += n[i];
        sum.base += b[i];
      } else {
        size[up[i]] += size[i];
        n[up[i]] += n[i];
        b[up[i]] += b[i];
      }
    }
  }
  return list;
}

// whole is the block of all, with those of the causes in it, as their paths have them.
function whole(groups) {
  const root = { name: 'an operation', tint: 0, size: 0, now: 0, base: 0, inside: [] };
  for (const group of groups) {
    let block = root;
    const add = () => {
      block.size += group.all.size;
      block.now += group.all.now;
      block.base += group.all.base;
    };
    add();
    for (const { name, tint } of group.path) {
      let next = block.inside.find((one) => one.name === name);
      if (!next) block.inside.push(next = { name, tint, size: 0, now: 0, base: 0, inside: [] });
      block = next;
      add();
    }
    group.block = block;
    block.group = group;
    delete block.inside;
  }
  const sort = (block) => { block.inside?.sort((a, b) => b.size - a.size).forEach(sort); };
  sort(root);
  return root;
}

// fitting is as much of a function's name as there is room for: its class goes before its package, and of this all but the first
// part before the rest.
function fitting(name, room, widthOf) {
  let text = oneLine(name.slice(0, 300));
  const [of, own] = text.split(' · ');
  if (own && widthOf(text) > room) {
    const bare = own.split(/\.|::/).at(-1) || own;
    const first = of.split(/[./]|::/).find(Boolean);
    const cut = Array.from({ length: Math.max(0, bare.length - 4) }, (_, n) => `${first} · ${bare.slice(0, bare.length - 1 - n)}…`);
    text = [`${of} · ${bare}`, `${first} · ${bare}`, ...cut].find((shorter) => widthOf(shorter) <= room) ?? own;
  }
  while (widthOf(text) > room) {
    const cut = text.slice(0, -2).search(/(?:[/.]|::)(?=[^/.:])/);
    if (cut < 0) break;
    text = text.slice(cut).replace(/^(?:[/.]|::)/, '');
  }
  if (widthOf(text) <= room) return text;
  const letters = [...text].slice(0, Math.ceil(room / 3));
  while (letters.length > 0 && widthOf(`${letters.join('')}…`) > room) letters.pop();
  return letters.length > 1 ? `${letters.join('')}…` : '';
}
