// Draws the gallery: a card for each object with its best picture and its times. It shows 60 cards at first, and 60 more on request.

const AT_ONCE = 60;
let cardCount = AT_ONCE;

function wantedTracks() {
  const words = $("wanted").value.trim().toLowerCase(), orders = {longest: track => -track.length, surest: track => -track.score};
  const isFound = track => !words || `#${track.id}` === words || idOf(track) === words
    || !words.startsWith("#") && [titleOf(track), ...wordsOf(track)].join(" ").toLowerCase().includes(words);
  const found = TRACKS.filter(track => isShown(track) && isFound(track));
  const order = orders[$("order").value];
  return order ? found.sort((one, other) => order(one) - order(other)) : found;
}

function card(track) {
  const source = pictureOf(track), name = titleOf(track);
  const button = make("button", {class: "card", type: "button", "aria-pressed": String(view.chosen === track), title: "show in the timeline"});
  if (source) {
    const image = make("img", {src: source, alt: name, loading: "lazy", decoding: "async"});
    image.onload = () => image.classList.toggle("small", image.naturalHeight < 90 && image.naturalWidth < 90);
    button.append(make("span", {class: "photo"}, image));
  } else if (pictureTexts().frame) {
    button.append(make("span", {class: "photo"}, make("small", {}, "no picture")));
  }
  button.append(make("span", {}, make("i", {class: "swatch dot", style: `background: ${paintOf(track.label)}`}), make("b", {}, name)));
  const [times, ...more] = [...wordsOf(track), ...(clipOf(track) ? ["clip"] : [])];
  button.append(make("span", {class: "times"}, times), make("span", {class: "times"}, more.join(" · ")));
  button.onclick = () => goTo(track);
  button.track = track;
  return make("li", {}, button);
}

let listed = "";
function showCards() {
  const tracks = wantedTracks(), shown = tracks.slice(0, cardCount);
  listed = [...shownLabels].join();
  $("cards").replaceChildren(...shown.map(card));
  $("shown").textContent = shown.length < tracks.length
    ? `${shown.length} of ${countText(tracks.length, "object")}` : countText(tracks.length, "object");
  const rest = Math.min(AT_ONCE, tracks.length - shown.length);
  $("more").hidden = rest <= 0;
  $("more").textContent = `show ${rest} more`;
}

painters.push(() => {
  if (listed !== [...shownLabels].join()) { cardCount = AT_ONCE; showCards(); }
  for (const item of $("cards").children) item.firstChild.setAttribute("aria-pressed", String(item.firstChild.track === view.chosen));
});

$("order").onchange = $("wanted").oninput = () => { cardCount = AT_ONCE; showCards(); };
$("more").onclick = () => {
  const place = cardCount;
  cardCount += AT_ONCE;
  showCards();
  $("cards").children[place]?.firstChild.focus();
};
