showSummary();
showLabels();
showHeat();
if (TRACKS.length) showCards(); else $("gallery").hidden = true;
if (!TRACKS.length && !DATA.untracked.series.length && !HAS_EVENTS) $("chart").hidden = true;
$("foot").textContent = `${countText(DATA.results, "result")} in ${plain(DATA.file)} · made by odt report of swiftodt; ${CLIPS.length ? "the clips are separate files" : "this file is self-contained"}.`;
new ResizeObserver(redraw).observe($("axis"));
painters.forEach(paint => paint());
