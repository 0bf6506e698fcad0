// Shows the summary and the table of labels. The checkboxes of the table select the labels that the whole page shows.

const COLOURS = 11, REST = 11;
const BY_LABEL = (() => {
  const rows = DATA.labels.map((_, label) => ({label, count: 0, shown: 0, stay: 0, longest: 0, average: 0}));
  for (const track of TRACKS) {
    const row = rows[track.label];
    row.count++;
    row.shown++;
    row.stay += track.length;
    row.longest = Math.max(row.longest, track.length);
  }
  for (const [label, count, stay] of DATA.forgotten) {
    rows[label].count += count;
    rows[label].stay += stay;
  }
  for (const [label, time] of DATA.untracked.times) rows[label].average = time / (DATA.length || 1);
  return rows.filter(row => row.count || row.average).sort((one, other) => other.count - one.count || other.average - one.average);
})();
const colourOf = new Array(DATA.labels.length).fill(REST);
BY_LABEL.slice(0, BY_LABEL.length > COLOURS + 1 ? COLOURS : COLOURS + 1).forEach((row, place) => { colourOf[row.label] = place; });
function paintOf(label) { return `var(--c${colourOf[label]})`; }

const shownLabels = new Set(BY_LABEL.map(row => row.label));
function isShown(track) { return shownLabels.has(track.label); }

// The maximum number of simultaneous tracks, and the first time at which this number is reached. Both are computed from
// the starts and ends of all visits in the order of time.
const BUSIEST = (() => {
  const steps = TRACKS.flatMap(track => track.visits).flatMap(([from, to]) => [[from, 1], [to, -1]]).sort((one, other) => one[0] - other[0] || other[1] - one[1]);
  let [now, most, time] = [0, 0, 0];
  for (const [moment, step] of steps) if ((now += step) > most) [most, time] = [now, moment];
  return {most, time};
})();

function showSummary() {
  document.title = plain(DATA.title);
  $("title").textContent = plain(DATA.title);
  const parts = [plain(DATA.video ?? DATA.file)];
  if (DATA.width) parts.push(`${DATA.width} × ${DATA.height}`);
  if (DATA.utc !== undefined) parts.push(`from ${dayOf(momentOf(0))} ${clockOf(momentOf(0))} ${offsetOf(momentOf(0))}`);
  parts.push(...DATA.models.map(plain));
  $("lead").textContent = parts.join(" · ");
  $("figures").replaceChildren();
  const tile = (name, value, more) => $("figures").append(
    make("div", {}, make("dt", {}, name), make("dd", {}, value, ...(more ? [" ", make("small", {}, more)] : []))));
  tile("length", timeText(WHOLE.to - WHOLE.from, WHOLE.to < 60 ? 1 : 0));
  if (TRACKS.length || !DATA.untracked.most) tile("objects tracked", DATA.objects.toLocaleString("en"));
  if (TRACKS.length) tile("maximum at once" + (DATA.sources.length > 1 ? ", all cameras" : ""), BUSIEST.most.toLocaleString("en"), "at " + clockText(BUSIEST.time, WHOLE.to < 600 ? 1 : 0));
  else if (DATA.untracked.most) tile("maximum at once", DATA.untracked.most.toLocaleString("en"));
  if (BY_LABEL.length) tile("labels", BY_LABEL.length.toLocaleString("en"));
  for (const zone of [...DATA.zones].sort((one, other) => other.eventCount - one.eventCount).slice(0, 4)) {
    const [, entered, , inward, outward] = total(zone.byLabel).map(figure => figure.toLocaleString("en"));
    if (zone.isLine) tile(zoneNameOf(zone), `${inward} in`, `${outward} out`);
    else tile(zoneNameOf(zone), entered, "entered");
  }
  const notes = [];
  if (!BY_LABEL.length && !HAS_EVENTS) notes.push("No objects were detected.");
  if (DATA.forgotten.length) notes.push(`The ${TRACKS.length.toLocaleString("en")} longest tracks are shown below. The others count only in the table; the curve and the maximum at once omit them.`);
  if (DATA.untracked.most && !TRACKS.length) notes.push("The objects have no ids, so they are only counted per frame.");
  if (SEVERAL.size) notes.push("Ids start at 1 in each connection or recording: #2.7 is object 7 of the second one.");
  if (DATA.isCutOff) notes.push("The last message is incomplete: the recording was interrupted.");
  $("notes").textContent = notes.join(" ");
}

function showLabels() {
  if (!BY_LABEL.length) return;
  const isTracked = TRACKS.length > 0, most = Math.max(...BY_LABEL.map(row => isTracked ? row.count : row.average));
  const all = make("input", {type: "checkbox", "aria-label": "all labels"});
  all.checked = true;
  const head = $("labels").createTHead().insertRow();
  head.append(make("th", {scope: "col"}, make("label", {}, all, " label")));
  for (const name of isTracked ? ["objects", "mean stay", "longest"] : ["average at once"]) head.append(make("th", {scope: "col"}, name));
  head.append(make("th", {class: "share", scope: "col"}, make("span", {hidden: ""}, "share")));
  const body = $("labels").createTBody(), boxes = [];
  const tell = () => {
    shownLabels.clear();
    for (const {box, row, line} of boxes) {
      if (box.checked) shownLabels.add(row.label);
      line.classList.toggle("quiet", !box.checked);
    }
    all.checked = shownLabels.size === boxes.length;
    all.indeterminate = shownLabels.size > 0 && !all.checked;
    redraw();
  };
  all.onchange = () => { for (const {box} of boxes) box.checked = all.checked; tell(); };
  for (const row of BY_LABEL) {
    const line = body.insertRow(), box = make("input", {type: "checkbox"});
    box.checked = true;
    box.onchange = tell;
    boxes.push({box, row, line});
    const only = make("label", {title: NAMES[row.label]}, box, make("i", {class: "swatch", style: `background: ${paintOf(row.label)}`}),
      make("span", {}, NAMES[row.label]));
    line.append(make("td", {}, only));
    const figures = isTracked
      ? [row.count.toLocaleString("en"), row.count ? lengthText(row.stay / row.count) : "", row.shown ? lengthText(row.longest) : ""]
      : [row.average.toFixed(1)];
    for (const figure of figures) line.append(make("td", {}, figure));
    line.append(make("td", {class: "share"}, make("div", {
      style: `width: ${100 * (isTracked ? row.count : row.average) / most}%; background: ${paintOf(row.label)}`})));
  }
}
