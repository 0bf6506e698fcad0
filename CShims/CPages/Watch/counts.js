// How many there were over the last hour: of objects, in each zone, across each line.

const SHORTEST = 300;

const counts = {camera: null, told: null, at: 0, isBusy: false};

// What was is asked for every five seconds; what is, is known anyway.
async function refreshCounts(camera) {
  const isNew = counts.camera !== camera.name;
  if (!isNew) showCounts(camera, counts.told);
  if (counts.isBusy || (!isNew && Date.now() - counts.at < 5000)) return;
  counts.isBusy = true;
  try {
    const told = await ask(`/api/counts/${encodeURIComponent(camera.name)}`);
    Object.assign(counts, {camera: camera.name, told, at: Date.now()});
    if (chosen()?.name === camera.name) showCounts(camera, told);
  } catch { /* Said by what is asked for more often. */ }
  counts.isBusy = false;
}

function showCounts(camera, told) {
  const cards = [card("objects at once", String(camera.objects.length), "", told, {counts: told.objects})];
  for (const zone of told.zones) {
    const now = camera.zones.find(one => one.name === zone.name) ?? {};
    if (zone.kind === "line") {
      const words = make("span", {}, make("span", {class: "key inward"}), `${now.in ?? 0} in `, make("span", {class: "key outward"}), `${now.out ?? 0} out`);
      cards.push(card("across " + plain(zone.name), words, "", told, zone));
    } else {
      cards.push(card("in " + plain(zone.name), String(now.count ?? 0), ` ${countText(now.entered ?? 0, "has", "have")} entered`, told, zone));
    }
  }
  $("charts").replaceChildren(...cards);
  $("counts").hidden = false;
}

function card(title, figure, more, told, series) {
  const {picture, most, from} = series.in ? bars(told, series) : area(told, series.counts);
  const words = series.in ? `${title}: at most ${most} within ${told.step} seconds` : `${title}: at most ${most}`;
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", `${words}, since ${clockText(from)}`);
  return make("div", {class: "chart"}, make("h3", {}, title), make("p", {}, figure, make("small", {}, more)), picture,
    make("div", {class: "times"}, make("span", {}, clockText(from).slice(0, 5)), make("span", {}, `at most ${most}`), make("span", {}, "now")));
}

// Steps from the left, so that a short story does not fill the whole width.
function frame(told, length) {
  const steps = Math.max(length, SHORTEST / told.step);
  return {steps, left: steps - length, from: told.end - steps * told.step * 1000};
}

function area(told, values) {
  const {steps, left, from} = frame(told, values.length), most = Math.max(0, ...values.filter(value => value !== null)), tall = Math.max(most, 1);
  let edge = "", fills = "", isOpen = false;
  const y = value => (30 - value / tall * 28).toFixed(2);
  values.forEach((value, place) => {
    const x = left + place;
    if (value === null) {
      if (isOpen) fills += `V30Z`;
      isOpen = false;
      return;
    }
    edge += isOpen ? `V${y(value)}H${x + 1}` : `M${x} ${y(value)}H${x + 1}`;
    fills += isOpen ? `V${y(value)}H${x + 1}` : `M${x} 30V${y(value)}H${x + 1}`;
    isOpen = true;
  });
  if (isOpen) fills += "V30Z";
  const picture = draw("svg", {viewBox: `0 0 ${steps} 31`, preserveAspectRatio: "none"},
    draw("path", {class: "area", d: fills}), draw("path", {class: "edge", d: edge}), draw("path", {class: "base", d: `M0 30H${steps}`}));
  return {picture, most, from};
}

function bars(told, series) {
  const {steps, left, from} = frame(told, series.in.length), most = Math.max(0, ...series.in, ...series.out), tall = Math.max(most, 1);
  let inward = "", outward = "";
  series.in.forEach((value, place) => {
    const x = left + place, up = value / tall * 14, down = (series.out[place] ?? 0) / tall * 14;
    if (up) inward += `M${x} 15.5h.85v${-up.toFixed(2)}h-.85Z`;
    if (down) outward += `M${x} 15.5h.85v${down.toFixed(2)}h-.85Z`;
  });
  const picture = draw("svg", {viewBox: `0 0 ${steps} 31`, preserveAspectRatio: "none"},
    draw("path", {class: "inward", d: inward}), draw("path", {class: "outward", d: outward}), draw("path", {class: "base", d: `M0 15.5H${steps}`}));
  return {picture, most, from};
}
