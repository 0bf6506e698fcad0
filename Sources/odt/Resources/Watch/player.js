// Lists the recordings of a camera, plays one, and seeks to its events.

const recordings = {camera: null, segments: [], at: 0, isBusy: false, file: null, info: null, session: ""};
const SLOW_REFRESH = 10_000;

function segmentPath(file, prefix) { return `${prefix}/${[recordings.camera, file].map(encodeURIComponent).join("/")}`; }

function leaveRecordings() {
  if (recordings.camera === null) return;
  closeRecording();
  Object.assign(recordings, {camera: null, segments: [], at: 0});
  $("recordings").hidden = true;
}

function closeRecording() {
  Object.assign(recordings, {file: null, info: null});
  $("player").removeAttribute("src");
  $("player").load();
  $("watching").hidden = $("download").hidden = true;
  clearOverlay();
}

async function refreshRecordings(name) {
  recordings.camera = name;
  if (recordings.isBusy || Date.now() - recordings.at < SLOW_REFRESH) return;
  [recordings.isBusy, recordings.at] = [true, Date.now()];
  try {
    const list = await fetchJSON(`/api/recordings/${encodeURIComponent(name)}`);
    if (recordings.camera === name && list.isRecorded) showSegments(list.segments, list.isCutOff);
  } catch { /* refresh() reports a lost connection. */ }
  recordings.isBusy = false;
}

function showSegments(segments, isCutOff) {
  $("recordings").hidden = false;
  if (JSON.stringify(segments) === JSON.stringify(recordings.segments) && segments.length) return;
  recordings.segments = segments;
  const groups = new Map();
  for (const segment of segments) {
    const day = new Date(segment.time).toLocaleDateString([], {weekday: "short", year: "numeric", month: "short", day: "numeric"});
    if (!groups.has(day)) groups.set(day, make("optgroup", {label: day}));
    groups.get(day).append(make("option", {value: segment.file, disabled: segment.isFinished ? null : ""}, clockText(segment.time) + (segment.isFinished ? "" : ", not finished")));
  }
  $("pieces").replaceChildren(make("option", {value: ""}, "choose"), ...groups.values(),
    ...(isCutOff ? [make("option", {disabled: ""}, "older recordings are not listed")] : []));
  $("pieces").value = recordings.file ?? "";
  // Retention may have deleted the opened recording. A list that is cut off omits older recordings.
  if (!isCutOff && recordings.file && !segments.some(segment => segment.file === recordings.file)) closeRecording();
  if (!recordings.file) say($("hint"), segments.length ? segments.some(segment => segment.isFinished) ? "" : "The first recording is not finished yet." : "No recordings yet.");
}

async function openRecording(file) {
  closeRecording();
  if (!file) return;
  recordings.file = file;
  say($("hint"), "");
  const answer = await fetch(segmentPath(file, "/api/recordings"), {cache: "no-store"}).catch(() => null);
  if (recordings.file !== file) return;
  if (!answer?.ok) return say($("hint"), answer ? (await answer.text()).trim() : "No connection.");
  const info = await answer.json().catch(() => null);
  if (recordings.file !== file) return;
  if (!info) return say($("hint"), "No connection.");
  recordings.info = info;
  info.events ??= [];
  info.stays = staysOf(info.events);
  $("drawn").checked = !info.isAnnotated;
  say($("hint"), !info.hasStore ? "No boxes and events: odt watch runs without --store."
    : !info.session ? "The recording was interrupted: its times are approximate, and its events are unknown."
    : info.isAnnotated ? "The boxes are part of this video." : "");
  offer($("bylabel"), "all labels", info.events.map(event => event.label).filter(label => label !== undefined), nameOf);
  offer($("byzone"), "everywhere", info.events.map(event => event.zone).filter(Boolean), plain);
  for (const node of [$("bylabel"), $("byzone"), $("byscore"), $("drawn")]) node.disabled = !info.hasStore;
  $("download").href = segmentPath(file, "/recordings");
  $("download").hidden = false;
  if (info.isH265 && !PLAYS_H265) return say($("hint"), NO_H265);
  $("watching").hidden = false;
  $("player").src = $("download").href + "?play=1";
  showMoments();
}

// Fills a select with "all" and the distinct values, and keeps the selected value.
function offer(select, all, values, text) {
  const old = select.value, distinct = [...new Set(values)].sort();
  select.replaceChildren(make("option", {value: "*"}, all), ...distinct.map(value => make("option", {value: "=" + value}, text(value))));
  select.value = distinct.includes(old.slice(1)) && old.startsWith("=") ? old : "*";
}
function isChosen(select, value) { return select.value === "*" || select.value === "=" + value || select.value === ""; }

// Returns the periods in which each object was in each zone. An object that crossed a line counts as being at the line
// during the whole recording.
function staysOf(events) {
  const stays = new Map();
  for (const event of events) {
    if (event.kind !== "zone" || event.id === undefined) continue;
    const key = JSON.stringify([event.zone, event.id]);
    if (!stays.has(key)) stays.set(key, []);
    const list = stays.get(key);
    if (event.event === "cross") list.push([-Infinity, Infinity]);
    else if (event.event === "enter") list.push([event.time, Infinity]);
    else if (event.event === "leave" && list.length) list.at(-1)[1] = event.time;
  }
  return stays;
}
function isInZone(id, time) {
  if ($("byzone").value === "*") return true;
  const stays = recordings.info.stays.get(JSON.stringify([$("byzone").value.slice(1), id])) ?? [];
  return stays.some(([from, to]) => from <= time && time <= to);
}

// Returns the milliseconds of wall-clock time per second of the video. Times of the video are stream times, and times
// of the database are wall-clock times.
function clockRate() {
  const {began, ended, length} = recordings.info;
  return length > 0 && ended > began ? (ended - began) / length : 1000;
}
function wallTime(seconds) { return recordings.info.began + seconds * clockRate(); }
function videoTime(wall) { return Math.max(0, (wall - recordings.info.began) / clockRate()); }

function showMoments() {
  const events = recordings.info.events.filter(event => event.time >= recordings.info.began
    && (event.label === undefined ? $("bylabel").value === "*" : isChosen($("bylabel"), event.label))
    && ($("byzone").value === "*" || event.zone === $("byzone").value.slice(1)));
  $("moments").replaceChildren(...events.map(event => {
    const button = make("button", {}, make("time", {datetime: new Date(event.time).toISOString()}, clockText(event.time)), make("span", {}, eventText(event)));
    button.onclick = () => { $("player").currentTime = videoTime(event.time); };
    return make("li", {}, button);
  }));
  $("calm").hidden = events.length > 0;
}

$("pieces").onchange = () => openRecording($("pieces").value);
for (const id of ["bylabel", "byzone"]) $(id).addEventListener("change", () => { showMoments(); drawOverlay(); });
$("byscore").oninput = () => { say($("leastscore"), Number($("byscore").value).toFixed(2)); drawOverlay(); };
$("drawn").onchange = () => drawOverlay();
// The full-screen button of the browser would show the video without the boxes, so the page has its own button.
$("whole").hidden = !document.fullscreenEnabled;
$("whole").onclick = () => { if (document.fullscreenElement) document.exitFullscreen(); else $("screen").requestFullscreen(); };
$("player").onerror = () => {
  if (!$("player").hasAttribute("src")) return;
  say($("hint"), "This browser cannot play the recording: download it. Chromium plays H.264 in Matroska files.");
};
