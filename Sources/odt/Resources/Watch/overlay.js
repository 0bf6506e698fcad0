// Draws the boxes of the database over the recording that is played.

// The boxes are requested in windows, each for a period of WINDOW milliseconds. At most WINDOWS_KEPT windows are kept,
// so memory is bounded.
const WINDOW = 30_000, WINDOWS_KEPT = 6;
// LONGEST_STEP: boxes are interpolated between two results that are at most this many milliseconds apart. HOLD: a box
// that is missing in the next result stays visible for this many milliseconds.
const LONGEST_STEP = 2500, HOLD = 500;
// After a failure, a window is requested again after this many milliseconds.
const PAUSE = 5000;

const overlay = {windows: new Map(), shown: [], labels: new Set(), time: 0};

function clearOverlay() {
  overlay.windows.clear();
  overlay.labels.clear();
  overlay.shown = [];
  overlay.time = 0;
  $("overlay").width = 0;
}

async function loadWindow(number) {
  if (number < 0 || overlay.windows.has(number)) return;
  const info = recordings.info, from = Math.floor(info.began + number * WINDOW);
  if (number * WINDOW > (info.ended ?? Infinity) - info.began) return;
  const results = {times: [], boxes: new Map()};
  overlay.windows.set(number, results);
  for (const old of overlay.windows.keys()) {
    if (overlay.windows.size <= WINDOWS_KEPT) break;
    if (Math.abs(old - number) > 1) overlay.windows.delete(old);
  }
  try {
    // The windows overlap, so that boxes are interpolated across their borders.
    const session = info.session ? `&session=${info.session}` : "";
    const data = await fetchJSON(`/api/recordings/${encodeURIComponent(recordings.camera)}/boxes?from=${Math.max(0, from - LONGEST_STEP)}&to=${from + WINDOW + LONGEST_STEP}${session}&orientation=${info.orientation}`);
    if (recordings.info !== info) return;
    results.times = data.times;
    for (const box of data.boxes) {
      if (!results.boxes.has(box[0])) results.boxes.set(box[0], []);
      results.boxes.get(box[0]).push({id: box[2], label: box[3], score: box[4], corners: box.slice(5)});
      overlay.labels.add(box[3]);
    }
    const known = new Set([...$("bylabel").options].map(option => option.value.slice(1)));
    if ([...overlay.labels].some(label => !known.has(label)))
      offer($("bylabel"), "all labels", [...info.events.map(event => event.label).filter(label => label !== undefined), ...overlay.labels], nameOf);
    drawOverlay();
  } catch {
    setTimeout(() => {
      if (overlay.windows.get(number) !== results) return;
      overlay.windows.delete(number);
      drawOverlay();
    }, PAUSE);
  }
}

// Returns the boxes at a wall-clock time. Boxes of the same track are interpolated between two results.
function boxesAt(time) {
  const results = overlay.windows.get(Math.floor((time - recordings.info.began) / WINDOW));
  if (!results) return [];
  const after = results.times.findIndex(moment => moment > time), last = after < 0 ? results.times.length : after;
  const [one, two] = [results.times[last - 1], results.times[last]];
  const earlier = one !== undefined && time - one <= LONGEST_STEP ? results.boxes.get(one) ?? [] : [];
  const later = two !== undefined && two - time <= LONGEST_STEP ? results.boxes.get(two) ?? [] : [];
  const isPair = one !== undefined && two !== undefined && two - one <= LONGEST_STEP, part = isPair ? (time - one) / (two - one) : 0;
  const found = [];
  for (const box of earlier) {
    const next = isPair && box.id !== null ? later.find(other => other.id === box.id) : null;
    if (next) found.push({...box, score: box.score + (next.score - box.score) * part, corners: box.corners.map((value, place) => value + (next.corners[place] - value) * part)});
    else if (time - one <= HOLD) found.push(box);
  }
  for (const box of later) {
    const isNew = !isPair || box.id === null || !earlier.some(other => other.id === box.id);
    if (isNew && two - time < HOLD) found.push(box);
  }
  return found;
}

function colorOf(box) {
  const text = box.label || String(box.id ?? "");
  let hash = 0;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)) % 360;
  return `hsl(${hash} 85% 62%)`;
}

// Returns the part of the canvas that the video covers.
function videoArea(width, height) {
  const {videoWidth, videoHeight} = $("player"), scale = Math.min(width / videoWidth, height / videoHeight);
  return {left: (width - videoWidth * scale) / 2, top: (height - videoHeight * scale) / 2, width: videoWidth * scale, height: videoHeight * scale};
}

function drawOverlay(seconds = $("player").currentTime) {
  const canvas = $("overlay"), info = recordings.info, ratio = devicePixelRatio || 1;
  const {clientWidth: width, clientHeight: height} = canvas;
  overlay.shown = [];
  if (!info?.hasStore || !$("player").videoWidth || !width) { canvas.width = 0; return; }
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const time = overlay.time = wallTime(seconds), window = Math.floor((time - info.began) / WINDOW);
  loadWindow(window);
  loadWindow(window + 1);
  if (!$("drawn").checked) return;
  const least = Number($("byscore").value), area = videoArea(width, height), context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.font = "600 13px system-ui, sans-serif";
  context.textBaseline = "middle";
  const taken = [];
  for (const box of boxesAt(time)) {
    if (box.score < least || !isChosen($("bylabel"), box.label) || !isInZone(box.id, time)) continue;
    const [left, top, right, bottom] = box.corners.map((value, place) => place % 2 ? area.top + value * area.height : area.left + value * area.width);
    const frame = {left, top, width: right - left, height: bottom - top};
    context.lineWidth = 4;
    context.strokeStyle = "rgb(0 0 0 / .55)";
    context.strokeRect(frame.left, frame.top, frame.width, frame.height);
    context.lineWidth = 2;
    context.strokeStyle = colorOf(box);
    context.strokeRect(frame.left, frame.top, frame.width, frame.height);
    const text = `${box.id === null ? "" : `#${box.id} `}${nameOf(box.label)} ${box.score.toFixed(2)}`;
    const place = placeLabel(frame, context.measureText(text).width + 10, 20, {width, height}, taken);
    if (place) {
      taken.push(place);
      context.fillStyle = "rgb(0 0 0 / .78)";
      context.fillRect(place.left, place.top, place.width, place.height);
      context.fillStyle = "#fff";
      context.fillText(text, place.left + 5, place.top + place.height / 2 + 1);
    }
    overlay.shown.push({...box, frame, place});
  }
}

// Returns a place for a label: above, below or in the box. The place is within the picture and not over another label;
// `null` if there is no such place.
function placeLabel(frame, width, height, size, taken) {
  const left = Math.max(0, Math.min(frame.left - 1, size.width - width));
  const tops = [frame.top - height, frame.top + frame.height, frame.top, frame.top + frame.height - height];
  return tops.map(top => ({left, top, width, height})).find(place => place.top >= 0 && place.top + height <= size.height
    && !taken.some(other => place.left < other.left + other.width && other.left < place.left + width && place.top < other.top + other.height && other.top < place.top + height)) ?? null;
}

// Draws the boxes for each frame of the video, at the time of that frame.
function follow() {
  const player = $("player");
  if (!player.requestVideoFrameCallback) {
    player.addEventListener("timeupdate", () => drawOverlay());
    return;
  }
  const step = (_, frame) => {
    drawOverlay(frame.mediaTime);
    player.requestVideoFrameCallback(step);
  };
  player.requestVideoFrameCallback(step);
}
follow();
$("player").addEventListener("loadedmetadata", () => {
  $("screen").style.aspectRatio = `${$("player").videoWidth} / ${$("player").videoHeight}`;
  drawOverlay();
});
$("player").addEventListener("seeked", () => drawOverlay());
new ResizeObserver(() => drawOverlay()).observe($("screen"));
