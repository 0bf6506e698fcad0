// Selects the camera to show and updates the page once per second.

// The token is now stored in a cookie. It is removed from the address bar, so that other people cannot read it on the screen.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

// Returns the selected camera; `null` for the overview. The URL fragment contains the camera's name, so that the back
// button and bookmarks work.
function chosen() {
  if (server.cameras.length === 1) return server.cameras[0];
  let name = "";
  try { name = decodeURIComponent(location.hash.slice(1)); } catch { /* Invalid escapes match no camera. */ }
  return server.cameras.find(camera => camera.name === name) ?? null;
}

function dotOf(camera) { return "dot " + (!server.isThere ? "" : camera.problems.length ? "lost" : camera.state); }

function showAll() {
  const list = $("cameras");
  if (list.children.length !== server.cameras.length || [...list.children].some((item, place) => item.dataset.name !== server.cameras[place].name)) {
    list.replaceChildren(...server.cameras.map(camera => {
      const button = make("button", {class: "camera"}, make("span", {class: "photo"}, make("img", {alt: ""}), make("span", {class: "why"})),
        make("span", {class: "words"}, make("span", {class: "dot"}), make("b", {}, plain(camera.name)), make("small")));
      button.onclick = () => { location.hash = encodeURIComponent(camera.name); };
      return make("li", {"data-name": camera.name}, button);
    }));
  }
  const photos = server.cameras.map((camera, place) => {
    const item = list.children[place], photo = item.querySelector(".photo"), why = absence(camera, true);
    item.querySelector(".dot").className = dotOf(camera);
    item.querySelector("img").alt = `picture of ${plain(camera.name)}`;
    item.querySelector("small").className = camera.problems.length ? "weighty" : "";
    say(item.querySelector("small"), camera.state === "connected" ? problemText(camera) || countText(camera.objects.length, "object") : camera.state);
    say(item.querySelector(".why"), why);
    photo.classList.toggle("stale", Boolean(why) || !server.isThere);
    return [camera, photo];
  });
  // The oldest pictures first, so that each camera gets its turn.
  photos.sort(([, one], [, other]) => (one.begun ?? 0) - (other.begun ?? 0)).forEach(([camera, photo]) => takeSnapshot(camera, photo));
}

function showOne(camera) {
  const why = absence(camera);
  $("live").alt = `video of ${plain(camera.name)} with ${countText(camera.objects.length, "object")}`;
  $("stage").classList.toggle("stale", Boolean(why) || !server.isThere);
  say($("why"), why);
  $("dot").className = dotOf(camera);
  say($("caption"), stateText(camera));
  say($("problem"), problemText(camera));
  if (isCrowded()) takeSnapshot(camera, $("stage"));
  showObjects(camera);
  // The counts and the recordings of another camera must not stay under this camera's name.
  if (counts.camera !== camera.name) $("counts").hidden = true;
  if (recordings.camera !== camera.name) leaveRecordings();
  if (!server.isThere) return;
  refreshCounts(camera);
  refreshRecordings(camera.name);
}

function show() {
  if (server.isRefused) say($("trouble"), "This page requires a token: open the address that odt watch printed at startup.");
  else if (!server.isThere && server.lostSince) say($("trouble"), `No connection to odt watch since ${clockText(server.lostSince)}. The page shows old data and reconnects automatically.`);
  else say($("trouble"), isCrowded() && chosen() ? "The browser has no free connection for live video: close other windows of this page. This window shows a picture every 2 s." : "");
  const camera = chosen(), isKnown = server.cameras.length > 0;
  $("all").hidden = Boolean(camera) || !isKnown;
  $("one").hidden = !camera;
  if (!camera) {
    $("counts").hidden = true;
    leaveRecordings();
  }
  $("back").hidden = !camera || server.cameras.length < 2;
  const name = camera ? plain(camera.name) : "Cameras";
  say($("title"), name);
  document.title = name + " · odt watch";
  const connected = server.cameras.filter(one => one.state === "connected").length;
  say($("lead"), camera || !isKnown ? "" : `${connected} of ${server.cameras.length} connected`);
  play(camera);
  if (camera) showOne(camera); else if (isKnown) showAll();
  showEvents(camera?.name);
  say($("foot"), isKnown ? `odt watch, ${clockText(server.now())}` : "");
}

function step(by) {
  const place = server.cameras.indexOf(chosen());
  if (place < 0 || server.cameras.length < 2) return;
  location.hash = encodeURIComponent(server.cameras.at((place + by) % server.cameras.length).name);
}

addEventListener("hashchange", () => {
  const isOpened = $("all").contains(document.activeElement);
  pictures.isOn = false;
  show();
  // The focused button is hidden.
  if (isOpened) $("back").focus();
});
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === $("log") || event.target.closest?.("#recordings")) return;
  if (event.key === "Escape" && server.cameras.length > 1) location.hash = "";
  if (event.key === "ArrowRight") step(1);
  if (event.key === "ArrowLeft") step(-1);
});
$("back").onclick = () => { location.hash = ""; };

let isPolling = false;
async function poll() {
  if (isPolling || document.hidden) return;
  isPolling = true;
  // If the connection was lost in the meantime, the live video has ended and has to be requested again.
  if (await refresh()) pictures.isOn = false;
  isPolling = false;
  show();
}
addEventListener("visibilitychange", () => { show(); poll(); });
setInterval(poll, 1000);
poll();
