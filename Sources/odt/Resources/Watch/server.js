// Requests the API of `odt watch` once per second. Each response contains the complete states of the cameras, and the
// events that are newer than the last known event. Nothing is therefore missed after a lost connection or sleep.

const server = {
  cameras: [],
  // The events, the newest first.
  events: [],
  // The clips, the newest first.
  clips: [],
  isThere: false, isRefused: false, lostSince: null, run: null,
  ahead: 0, latest: 0, latestClip: 0,
  // Returns the time by the server's clock in milliseconds. It may differ from the time by the browser's clock.
  now() { return Date.now() + this.ahead; },
};
const EVENTS_KEPT = 300;

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
      server.events = [...added.events.reverse(), ...server.events].slice(0, EVENTS_KEPT);
    }
    if (state.clip > server.latestClip) {
      const saved = await fetchJSON("/api/clips?since=" + server.latestClip);
      if (saved.run === server.run && saved.clips.length) {
        server.latestClip = saved.clips.at(-1).number;
        server.clips = [...saved.clips.reverse(), ...server.clips].slice(0, EVENTS_KEPT);
      }
    }
    const isBack = isAnother || !server.isThere;
    [server.cameras, server.isThere, server.isRefused, server.lostSince] = [state.cameras, true, false, null];
    return isBack;
  } catch (problem) {
    server.isThere = false;
    server.isRefused = Boolean(problem.isRefused);
    server.lostSince ??= Date.now();
    return false;
  }
}
