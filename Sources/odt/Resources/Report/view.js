// The visible range of times in seconds, and the selected object. `redraw` updates all charts.

const view = {from: WHOLE.from, to: WHOLE.to, chosen: null};
const SHORTEST = 0.2;
// Returns the width of the label column in pixels. On narrow screens the labels are above the bars instead.
function gutter(width) { return width < 560 ? 28 : 130; }

const painters = [];
let isDue = false;
function redraw() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => { isDue = false; painters.forEach(paint => paint()); });
}

function scaleOf(width) {
  const left = gutter(width), right = width - 8, perSecond = (right - left) / (view.to - view.from);
  return {
    left, right, perSecond,
    x: time => left + (time - view.from) * perSecond,
    time: x => view.from + (x - left) / perSecond,
  };
}

function show(from, to) {
  const length = Math.min(Math.max(to - from, SHORTEST), WHOLE.to - WHOLE.from);
  from = Math.min(Math.max(from, WHOLE.from), WHOLE.to - length);
  const isNew = from !== view.from || from + length !== view.to;
  [view.from, view.to] = [from, from + length];
  if (isNew) redraw();
  return isNew;
}
// Zooms by a factor. A factor below 1 zooms in. The time `around` keeps its place on the screen.
function zoom(factor, around = (view.from + view.to) / 2) {
  const length = Math.min(Math.max((view.to - view.from) * factor, SHORTEST), WHOLE.to - WHOLE.from);
  const place = (around - view.from) / (view.to - view.from);
  return show(around - place * length, around + (1 - place) * length);
}
function move(part) {
  const by = (view.to - view.from) * part;
  return show(view.from + by, view.to + by);
}

// The intervals between ticks of the time axis, in seconds.
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 604800];
function ticks(scale) {
  const width = !isClocked ? 70 : HAS_DAYS ? 200 : 100, step = STEPS.find(step => step * scale.perSecond >= width) ?? STEPS.at(-1), list = [];
  const first = Math.ceil(view.from / step) * step;
  for (let number = 0; first + number * step <= view.to; number++) list.push(first + number * step);
  return {list, decimals: step < 1 ? 1 : 0};
}

function choose(track) {
  view.chosen = track;
  redraw();
}
