// Draws the timeline: one bar per visit of an object. Bars are grouped by label and packed into as few rows as possible.

// The groups of tracks, one per label colour. Labels without their own colour share a group.
const LANES = (() => {
  const groups = new Map();
  for (const track of TRACKS) {
    const colour = colourOf[track.label];
    if (!groups.has(colour)) groups.set(colour, {colour, name: colour === REST && BY_LABEL.length > REST + 1 ? "other labels" : nameOf(track), tracks: []});
    groups.get(colour).tracks.push(track);
  }
  return [...groups.values()].sort((one, other) => one.colour - other.colour);
})();

// Puts the tracks into rows, so that the tracks in a row do not overlap. Each track is put into the first row that has
// room.
function packed(tracks) {
  const rows = [], gap = (WHOLE.to - WHOLE.from) / 2000;
  for (const track of tracks) {
    let row = rows.findIndex(row => row.at(-1).last + gap <= track.first);
    if (row < 0) row = rows.push([]) - 1;
    rows[row].push(track);
    track.row = row;
  }
  return rows;
}

// The vertical positions of the drawn rows, by which the object under the pointer is found.
let bands = [];

painters.push(() => {
  const svg = $("lanes"), width = svg.parentElement.clientWidth, scale = scaleOf(width), nodes = [];
  const groups = LANES.map(group => ({...group, rows: packed(group.tracks.filter(isShown))})).filter(group => group.rows.length);
  const rowCount = groups.reduce((sum, group) => sum + group.rows.length, 0);
  const height = Math.min(Math.max(440 / Math.max(1, rowCount), 2), 16), isNarrow = scale.left < 60;
  bands = [];
  let top = 4;
  for (const group of groups) {
    if (isNarrow) top += 15;
    const tall = Math.max(group.rows.length * height, isNarrow ? 6 : 17);
    nodes.push(draw("path", {class: "grid", d: `M0 ${Math.round(top + tall) + 3}H${scale.right}`}));
    const count = group.tracks.filter(isShown).length;
    const name = draw("text", {class: "name", x: 0, y: isNarrow ? top - 3 : top + 13}, shortened(group.name, isNarrow ? 30 : 13));
    name.append(draw("tspan", {class: "count", dx: 6}, count.toLocaleString("en")));
    nodes.push(name);
    let bars = "";
    const thick = Math.max(height - (height > 5 ? 2 : height > 3 ? 1 : 0.3), 1), numbers = [];
    group.rows.forEach((row, number) => {
      const y = top + number * height;
      for (const track of row) for (const [first, last] of track.visits) {
        if (last < view.from || first > view.to) continue;
        const from = Math.max(scale.x(first), scale.left), to = Math.min(Math.max(scale.x(last), from + 1.5), scale.right);
        if (to <= from) continue;
        bars += `M${from.toFixed(1)} ${y.toFixed(1)}H${to.toFixed(1)}v${thick.toFixed(1)}H${from.toFixed(1)}Z`;
        if (height >= 12 && to - from > 34 && numbers.length < 400) numbers.push([track, from + 4, y + thick - 3]);
      }
    });
    nodes.push(draw("path", {d: bars, style: `fill: var(--c${group.colour}); fill-opacity: ${height >= 12 ? 0.75 : 0.9}`}));
    for (const [track, x, y] of numbers) nodes.push(draw("text", {x, y, style: "fill: #000; font-size: 11px"}, idOf(track)));
    bands.push({top, height, rows: group.rows});
    top += tall + 7;
  }
  const chosen = view.chosen;
  if (chosen && isShown(chosen)) {
    const band = bands.find(band => band.rows[chosen.row]?.includes(chosen)), from = scale.x(chosen.first), to = scale.x(chosen.last);
    if (band && to >= scale.left && from <= scale.right)
      nodes.push(draw("rect", {class: "picked", x: Math.max(from, scale.left) - 2, y: band.top + chosen.row * band.height - 2,
        width: Math.max(Math.min(to, scale.right) - Math.max(from, scale.left), 1.5) + 4, height: Math.max(band.height, 3) + 2}));
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${top}`);
  svg.replaceChildren(...nodes);
  svg.style.display = groups.length ? "" : "none";
  showChosen();
});

function shortened(text, most) { return text.length > most ? text.slice(0, most - 1) + "…" : text; }

function trackAt(event) {
  const frame = $("lanes").getBoundingClientRect(), x = event.clientX - frame.left, y = event.clientY - frame.top, scale = scaleOf(frame.width);
  const band = bands.find(band => y >= band.top && y < band.top + band.rows.length * band.height);
  if (!band || x < scale.left) return null;
  const slack = 2 / scale.perSecond, time = scale.time(x);
  return band.rows[Math.floor((y - band.top) / band.height)]?.find(track => time >= track.first - slack && time <= track.last + slack) ?? null;
}

function wordsOf(track) {
  const words = [`${spanText(track.first, track.last, HAS_DAYS)} (${lengthText(track.length)})`];
  if (track.score >= 0) words.push(`best at ${clockText(track.best, 1)}, score\u00a0${track.score.toFixed(2)}`);
  if (track.category >= 0) words.push(DATA.categories[track.category]);
  if (track.classifierLabel) words.push(plain(track.classifierLabel));
  if (track.reason && track.reason !== "lost") words.push({"left-frame": "left the frame", eos: "present until the end"}[track.reason] ?? track.reason);
  return words;
}

function showChosen() {
  const track = view.chosen;
  if ($("chosen").track === track && $("chosen").isClocked === isClocked) return;
  [$("chosen").track, $("chosen").isClocked] = [track, isClocked];
  if (!track) return $("chosen").replaceChildren();
  const source = pictureOf(track), clip = clipOf(track);
  const text = make("p", {}, make("b", {}, titleOf(track)), make("br"), wordsOf(track).join(" · "));
  $("chosen").replaceChildren(...(source ? [make("img", {src: source, alt: titleOf(track)})] : []), text, ...(clip ? [clipPlayer(clip)] : []));
}

// Selects the next object (step 1) or the previous object (step -1), in the order of start times.
function chooseNext(step) {
  const list = TRACKS.filter(isShown);
  if (!list.length) return;
  const place = view.chosen ? list.indexOf(view.chosen) : -1;
  const next = place >= 0 ? place + step : Math.max(0, list.findIndex(track => track.last >= view.from));
  const track = list[Math.min(Math.max(next, 0), list.length - 1)];
  if (track.last < view.from || track.first > view.to) {
    const half = (view.to - view.from) / 2, middle = (track.first + track.last) / 2;
    show(middle - half, middle + half);
  }
  choose(track);
}

function goTo(track) {
  const room = Math.max(track.length, 2);
  show(track.first - room, track.last + room);
  choose(track);
  $("chart").scrollIntoView({behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"});
  $("axis").focus({preventScroll: true});
}

(() => {
  const axis = $("axis"), tip = $("tip");
  let held = null;
  axis.addEventListener("wheel", event => {
    const scale = scaleOf(axis.clientWidth), x = event.clientX - axis.getBoundingClientRect().left;
    const isAside = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const by = (event.deltaX || event.deltaY) * (event.deltaMode ? 30 : 1);
    // If zooming or moving changes nothing, because a limit is reached, the page scrolls instead.
    const isNew = isAside ? move(by / 800) : zoom(Math.exp(Math.min(Math.max(event.deltaY * (event.deltaMode ? 30 : 1), -300), 300) / 400), scale.time(x));
    if (isNew) event.preventDefault();
  }, {passive: false});
  axis.addEventListener("pointerdown", event => {
    if (event.button) return;
    held = {x: event.clientX, from: view.from, to: view.to, isMoved: false};
    axis.setPointerCapture(event.pointerId);
  });
  axis.addEventListener("pointermove", event => {
    if (held) {
      const by = (held.x - event.clientX) / scaleOf(axis.clientWidth).perSecond;
      if (Math.abs(held.x - event.clientX) > 4) held.isMoved = true;
      if (held.isMoved) show(held.from + by, held.to + by);
      return;
    }
    const track = trackAt(event);
    axis.style.cursor = track ? "pointer" : "";
    tip.hidden = !track;
    if (!track) return;
    if (tip.track !== track) {
      tip.track = track;
      const source = pictureOf(track);
      tip.replaceChildren(...(source ? [make("img", {src: source, alt: ""})] : []), make("b", {}, titleOf(track)), make("br"), wordsOf(track).join(" · "));
    }
    const right = document.documentElement.clientWidth - tip.offsetWidth - 12;
    tip.style.left = Math.max(4, Math.min(event.pageX + 14, right)) + "px";
    tip.style.top = event.pageY + 16 + "px";
  });
  axis.addEventListener("pointerup", event => {
    if (held && !held.isMoved) choose(trackAt(event));
    held = null;
  });
  axis.addEventListener("pointercancel", () => { held = null; });
  axis.addEventListener("pointerleave", () => { tip.hidden = true; });
  axis.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), "0": () => show(WHOLE.from, WHOLE.to),
      ArrowLeft: () => move(-0.15), ArrowRight: () => move(0.15), PageUp: () => move(-0.9), PageDown: () => move(0.9),
      Home: () => show(WHOLE.from, WHOLE.from + view.to - view.from), End: () => show(WHOLE.to - view.to + view.from, WHOLE.to),
      ArrowUp: () => chooseNext(-1), ArrowDown: () => chooseNext(1), Escape: () => choose(null),
      Enter: () => view.chosen && goTo(view.chosen),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  $("closer").onclick = () => zoom(0.6);
  $("further").onclick = () => zoom(1 / 0.6);
  $("whole").onclick = () => show(WHOLE.from, WHOLE.to);
  $("clock").hidden = DATA.utc === undefined;
  $("clocked").onchange = () => { isClocked = $("clocked").checked; redraw(); showSummary(); showCards(); };
})();
