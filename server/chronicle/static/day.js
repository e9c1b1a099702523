// Replays the list of events on the page: without this script the list is all there is.
const byId = (id) => document.getElementById(id), list = [...document.querySelectorAll(".events li[data-at]")];

function copied(row) {
  const line = row.cloneNode(true);
  line.removeAttribute("id");
  return line;
}

if (list.length) {
  for (const hidden of document.querySelectorAll("[data-scripted]")) hidden.hidden = false;
  const rooms = new Map([...document.querySelectorAll("#map [data-room]")].map((one) => [one.dataset.room, one]));
  const events = list.map((row) => ({ at: Number(row.dataset.at), who: row.dataset.who, room: row.dataset.room, to: row.dataset.to, line: () => copied(row) }));
  const controls = { play: byId("play"), speed: byId("speed"), slider: byId("when"), clock: byId("clock"), feed: byId("feed") };
  const replay = new Replay(controls, rooms, events, JSON.parse(byId("replay").dataset.places));
  document.addEventListener("click", (event) => {
    const from = event.target.closest?.("[data-seek]");
    if (!from) return;
    replay.stop();
    replay.seek(Number(from.dataset.seek) - 1);
    byId("replay").scrollIntoView({ block: "start" });
    controls.play.focus();
  });
}
