// Requests the API of `odt watch` once per second. Each response contains the complete states of the cameras, and the
// events that are newer than the last known event. Nothing is therefore missed after a lost connection or sleep.

const server = {
  cameras: [],
  // The events, the newest first.
  events: [],
  // The clips, the newest first.
  clips: [],
  isThere: false, isRefused: false, lostSince: null, run: null,
  // Until this time (by the browser's clock), the page shows snapshots instead of live video. See `refresh`.
  crowdedUntil: 0,
  ahead: 0, latest: 0, latestClip: 0,
  // The time of the latest state by the browser's clock, in milliseconds.
  updated: Date.now(),
  // Returns the time by the server's clock in milliseconds. It may differ from the time by the browser's clock. Without
  // a connection, it is the time of the latest state.
  now() { return (this.isThere ? Date.now() : this.updated) + this.ahead; },
};
// For each camera, so that a busy camera does not push out the alarms of the others.
const EVENTS_KEPT = 300;
// In milliseconds, see `crowdedUntil`.
const PAUSE_OF_VIDEO = 300_000;

// Returns the newest entries of each camera, at most `most`. The entries are sorted, the newest first.
function newest(entries, most = EVENTS_KEPT) {
  const counts = new Map();
  return entries.filter(entry => {
    const count = (counts.get(entry.camera) ?? 0) + 1;
    counts.set(entry.camera, count);
    return count <= most;
  });
}

async function fetchJSON(path) {
  const answer = await fetch(path, {cache: "no-store", signal: AbortSignal.timeout(8000)});
  if (answer.status === 403 || answer.status === 429) throw Object.assign(new Error("refused"), {isRefused: true});
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
}

// Updates the state. Returns whether the server was restarted or responds again after an outage.
async function refresh() {
  try {
    const state = await fetchJSON("/api/cameras");
    const isAnother = state.run !== server.run;
    if (isAnother) [server.run, server.latest, server.events, server.latestClip, server.clips] = [state.run, 0, [], 0, []];
    server.ahead = state.now - Date.now();
    const added = await fetchJSON("/api/events?since=" + server.latest);
    if (added.run === server.run && added.events.length) {
      server.latest = added.events.at(-1).number;
      server.events = newest([...added.events.reverse(), ...server.events]);
    }
    if (state.clip > server.latestClip) {
      const saved = await fetchJSON("/api/clips?since=" + server.latestClip);
      if (saved.run === server.run && saved.clips.length) {
        server.latestClip = saved.clips.at(-1).number;
        server.clips = newest([...saved.clips.reverse(), ...server.clips]);
      }
    }
    const isBack = isAnother || !server.isThere;
    [server.cameras, server.isThere, server.isRefused, server.lostSince, server.updated] = [state.cameras, true, false, null, Date.now()];
    return isBack;
  } catch (problem) {
    server.isThere = false;
    server.isRefused = Boolean(problem.isRefused);
    // The live videos of several windows use all connections that a browser opens to a server, if no proxy has HTTP/2.
    // If the next attempt fails, too, this was not the cause.
    server.crowdedUntil = pictures.isOn && problem.name === "TimeoutError" ? Date.now() + PAUSE_OF_VIDEO : 0;
    server.lostSince ??= server.updated;
    return false;
  }
}
