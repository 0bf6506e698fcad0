const $ = id => document.getElementById(id), canvas = $("canvas"), context = canvas.getContext("2d");
const COLOURS = {zone: "#ffc107", line: "#ffc107", ignore: "#9e9e9e"}, LEAST = {zone: 3, line: 2, ignore: 3};
const KNOWN = ["name", "kind", "points", "labels", "anchor", "min-time"];
let zones = checked(START);
let drawn = null, held = null;
// Whether the user has edited the text since it was last read. Edited text is not replaced.
let isEdited = false;
const round = value => Math.round(Math.min(Math.max(value, 0), 1) * 1000) / 1000;

// Returns the zones of parsed JSON text. Throws an error if the editor cannot show them. The element checks more.
function checked(json) {
  const entries = Array.isArray(json) ? json : json?.zones, names = new Set();
  if (!Array.isArray(entries)) throw new Error("the text has no list of zones");
  return entries.map((entry, index) => {
    const zone = {kind: "zone", ...Object.fromEntries(Object.entries(entry ?? {}).filter(([, value]) => value !== null))};
    const need = (isValid, problem) => { if (!isValid) throw new Error(`zone ${index + 1}: ${problem}`); };
    const unknown = Object.keys(zone).find(key => !KNOWN.includes(key));
    need(unknown === undefined, `unknown key "${unknown}"`);
    need(Object.hasOwn(LEAST, zone.kind), `"kind" must be one of ${Object.keys(LEAST).join(", ")}`);
    need(typeof zone.name === "string" && zone.name, '"name" is missing');
    need(!names.has(zone.name), `another zone has the name "${zone.name}"`);
    need(Array.isArray(zone.points) && zone.points.length >= LEAST[zone.kind] && zone.points.every(point =>
      Array.isArray(point) && point.length === 2 && point.every(value => typeof value === "number" && value >= 0 && value <= 1)),
    `"points" must be a list of at least ${LEAST[zone.kind]} pairs of numbers from 0 to 1`);
    need(new Set(zone.points.map(String)).size >= LEAST[zone.kind], `fewer than ${LEAST[zone.kind]} different points`);
    need(zone.labels === undefined || Array.isArray(zone.labels) && zone.labels.length && zone.labels.every(label => typeof label === "string"),
      '"labels" must be a list of names');
    need(!zone.labels?.some(label => label.startsWith("@")), "name the labels of the group instead of the group");
    const time = zone["min-time"];
    need(time === undefined || zone.kind === "zone" && typeof time === "number" && time > 0 && time <= 1e6,
      '"min-time" must be above 0 and up to 1000000 seconds, and only zones have it');
    names.add(zone.name);
    return zone;
  });
}

function say(text) { $("hint").textContent = text; }
function idle() { say("Choose what to add; drag a corner to move it."); }

function begin(kind) {
  if (isEdited && !read()) return;
  finish();
  let number = 1;
  while (zones.some(zone => zone.name === kind + " " + number)) number++;
  drawn = {name: kind + " " + number, kind, points: []};
  zones.push(drawn);
  say("Click the " + (kind === "line" ? "ends" : "corners") + ". Double-click or Enter finishes, Backspace removes one, Escape cancels.");
  show();
}
function finish() {
  if (drawn && drawn.points.length < LEAST[drawn.kind]) zones = zones.filter(zone => zone !== drawn);
  drawn = null;
  idle();
  show();
}
function place(event) {
  const frame = canvas.getBoundingClientRect();
  return [round((event.clientX - frame.left) / frame.width), round((event.clientY - frame.top) / frame.height)];
}
function near(point, event) {
  const frame = canvas.getBoundingClientRect();
  return Math.hypot(point[0] * frame.width - (event.clientX - frame.left),
                    point[1] * frame.height - (event.clientY - frame.top)) < 12;
}

canvas.addEventListener("pointerdown", event => {
  if (event.button) return;
  if (drawn) {
    const last = drawn.points[drawn.points.length - 1];
    if (!last || !near(last, event)) drawn.points.push(place(event));
  } else {
    for (const zone of zones) zone.points.forEach((point, index) => { if (near(point, event)) held = [zone, index]; });
    if (held) canvas.setPointerCapture(event.pointerId);
  }
  show();
});
canvas.addEventListener("pointermove", event => {
  if (!held) return;
  held[0].points[held[1]] = place(event);
  show();
});
canvas.addEventListener("pointerup", () => { held = null; });
canvas.addEventListener("dblclick", finish);
document.addEventListener("keydown", event => {
  if (event.target.matches("input, textarea, select")) return;
  if (event.key === "Enter") finish();
  if (event.key === "Backspace" && drawn) { drawn.points.pop(); show(); }
  if (event.key === "Escape" && drawn) { zones = zones.filter(zone => zone !== drawn); drawn = null; idle(); show(); }
});
document.querySelectorAll("[data-kind]").forEach(button => button.onclick = () => begin(button.dataset.kind));

function paint() {
  const frame = canvas.getBoundingClientRect(), scale = window.devicePixelRatio || 1;
  canvas.width = frame.width * scale;
  canvas.height = frame.height * scale;
  context.scale(scale, scale);
  for (const zone of zones) {
    const points = zone.points.map(point => [point[0] * frame.width, point[1] * frame.height]);
    if (!points.length) continue;
    context.beginPath();
    points.forEach(point => context.lineTo(...point));
    context.strokeStyle = COLOURS[zone.kind];
    context.fillStyle = COLOURS[zone.kind] + "30";
    context.lineWidth = 2.5;
    context.setLineDash(zone.kind === "ignore" ? [8, 6] : []);
    if (zone.kind !== "line") { if (zone !== drawn) context.closePath(); context.fill("evenodd"); }
    context.stroke();
    context.setLineDash([]);
    for (const point of points) { context.beginPath(); context.arc(...point, 4.5, 0, 7); context.fillStyle = COLOURS[zone.kind]; context.fill(); }
    if (zone.kind === "line" && points.length > 1) arrow(points);
    context.font = "600 14px system-ui, sans-serif";
    context.strokeStyle = "#000a";
    context.lineWidth = 4;
    context.strokeText(zone.name, points[0][0] + 8, points[0][1] - 8);
    context.fillStyle = "#fff";
    context.fillText(zone.name, points[0][0] + 8, points[0][1] - 8);
  }
}
// The arrow points to the "in" side: the right-hand side when walking from the first point to the last.
function arrow(points) {
  const middle = points.length >> 1, [from, to] = [points[middle - 1], points[middle]];
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]], length = Math.hypot(dx, dy) || 1;
  const root = [from[0] + dx / 4, from[1] + dy / 4], tip = [root[0] - dy / length * 26, root[1] + dx / length * 26];
  context.beginPath();
  context.moveTo(...root);
  context.lineTo(...tip);
  context.stroke();
  context.fillStyle = "#fff";
  context.font = "12px system-ui, sans-serif";
  context.fillText("in", tip[0] - dy / length * 8 - 5, tip[1] + dx / length * 10 + 4);
}

function cell(row, thing) { row.insertCell().append(thing); return thing; }
function field(row, zone, key, hint, read, write, attributes = {}) {
  const input = cell(row, Object.assign(document.createElement("input"), attributes));
  input.placeholder = input.title = hint;
  input.setAttribute("aria-label", `${zone.kind} ${row.rowIndex + 1}: ${hint}`);
  input.value = read(zone[key]);
  input.oninput = () => {
    const value = write(input.value);
    if (value === undefined) delete zone[key]; else zone[key] = value;
    tell();
  };
  // The browser explains an invalid number.
  input.onchange = () => input.reportValidity();
}
function show() {
  const list = $("list");
  list.replaceChildren();
  for (const zone of zones) {
    const row = list.insertRow();
    cell(row, zone.kind);
    field(row, zone, "name", "name", value => value || "", value => value);
    field(row, zone, "labels", "labels: person, dog", value => (value || []).join(", "), value => {
      const labels = value.split(",").map(label => label.trim()).filter(Boolean);
      return labels.length ? labels : undefined;
    });
    if (zone.kind === "zone")
      field(row, zone, "min-time", "dwell time, seconds", value => value || "", value => value ? Number(value) : undefined,
        {type: "number", min: 0, step: "any"});
    else row.insertCell();
    const remove = cell(row, document.createElement("button"));
    remove.textContent = "Remove";
    remove.setAttribute("aria-label", `Remove ${zone.kind} ${row.rowIndex + 1}`);
    remove.onclick = () => { zones = zones.filter(other => other !== zone); if (drawn === zone) drawn = null; show(); };
  }
  tell();
}
function tell() {
  const whole = zones.filter(zone => zone.points.length >= LEAST[zone.kind]);
  const entries = whole.map(zone => Object.fromEntries(KNOWN.filter(key => zone[key] !== undefined).map(key => [key, zone[key]])));
  if (!isEdited) $("json").value = "[" + entries.map(entry => "\n  " + JSON.stringify(entry)).join(",") + (entries.length ? "\n" : "") + "]\n";
  paint();
}
// Takes the zones of the text. Returns whether it is valid.
function read() {
  try {
    zones = checked(JSON.parse($("json").value));
    drawn = held = null;
    isEdited = false;
    $("said").textContent = "";
    idle();
    show();
    return true;
  } catch (error) {
    $("said").textContent = (error instanceof SyntaxError ? "Invalid JSON: " : "Invalid zones: ") + error.message;
    say("Correct the text below first.");
    return false;
  }
}
$("json").oninput = () => { isEdited = true; };
$("json").onchange = read;
$("copy").onclick = async () => {
  if (!read()) return;
  try { await navigator.clipboard.writeText($("json").value); } catch { $("json").select(); document.execCommand("copy"); }
  $("said").textContent = "Copied.";
};
$("save").onclick = () => {
  if (!read()) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([$("json").value], {type: "application/json"}));
  link.download = "zones.json";
  link.click();
};
// A portrait picture fits into the window.
$("picture").decode().then(() => { $("stage").style.maxWidth = `${80 * $("picture").naturalWidth / $("picture").naturalHeight}vh`; });
new ResizeObserver(paint).observe($("picture"));
idle();
show();
