// What the program that watches has to say, asked for once a second. Each answer stands for itself, so that nothing is missed where the
// connection was, or the telephone slept.

const server = {
  cameras: [],
  // Newest first.
  events: [],
  isThere: false, isRefused: false, lostSince: null, run: null,
  ahead: 0, latest: 0,
  // By its clock, which may not be ours.
  now() { return Date.now() + this.ahead; },
};
const EVENTS_KEPT = 300;

async function ask(path) {
  const answer = await fetch(path, {cache: "no-store", signal: AbortSignal.timeout(8000)});
  if (answer.status === 403 || answer.status === 429) throw Object.assign(new Error("refused"), {isRefused: true});
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
}

// Whether it is another run of the program, or the first answer after some time without.
async function refresh() {
  try {
    const state = await ask("/api/cameras");
    const isAnother = state.run !== server.run;
    if (isAnother) [server.run, server.latest, server.events] = [state.run, 0, []];
    server.ahead = state.now - Date.now();
    const news = await ask("/api/events?since=" + server.latest);
    if (news.run === server.run && news.events.length) {
      server.latest = news.events.at(-1).number;
      server.events = [...news.events.reverse(), ...server.events].slice(0, EVENTS_KEPT);
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
