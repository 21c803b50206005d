
// The messages of one call. Text of the session is written as text; long text arrives only when asked for.
export default function ({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector(".list"), dark = themed(list).dark;
  const palette = data.palette[dark ? "dark" : "light"];
  list.send = (message, what) => setTriggerValue("opened", [message, what]);
  list.keep = (unit) => setTriggerValue("kept", unit);
  const values = data.rows.map((row) => [row.place, { row }]);
  if (data.notice) values.unshift(["notice", { notice: data.notice }]);
  if (!data.rows.length) values.push(["empty", {}]);
  if (data.reply) values.push(["reply", { row: data.reply }]);
  refresh(list, list, values, (value) => nodeOf(value, data.unit, palette, list, data.search), `${dark}${data.unit}/${data.search}`);
  reveal(list, values, data.reveal && [data.reveal[0] < 0 ? "reply" : data.reveal[0], data.reveal[1]]);
}

// A jump from another page shows its message once; later values leave the page where the reader scrolled to.
function reveal(list, values, wanted) {
  const tag = JSON.stringify(wanted), index = wanted ? values.findIndex(([key]) => key === wanted[0]) : -1;
  if (index < 0 || globalThis.__ctxscopeRevealed === tag) return;
  globalThis.__ctxscopeRevealed = tag;
  const node = list.children[index];
  node.classList.add("revealed");
  setTimeout(() => node.scrollIntoView({ block: "center" }), 400);
}

function nodeOf({ row, notice }, unit, palette, list, search) {
  if (notice) return noticeOf({ notice, unit }, palette);
  return row ? itemOf(row, { unit, search }, palette, (what) => (what === "keep" ? list.keep(row.unit) : list.send(row.message, what))) : element("li", "empty", "No message matches.");
}

function noticeOf({ notice, unit }, palette) {
  const item = element("li", "item notice");
  item.style.setProperty("--edge", palette.system);
  const head = item.appendChild(element("div", "head"));
  head.append(element("span", "role", "system"), chip("added", "＋ notice", palette.pinned), measured("", notice.size, unit));
  item.append(element("div", "text", notice.text));
  return item;
}

// At the right end of a head: the turn and the size, never torn apart.
function measured(turn, size, unit) {
  const end = element("span", "end");
  end.append(element("span", "turn", turn), element("span", "size", amount(size, unit)));
  return end;
}

function chip(kind, label, colour) {
  const node = element("span", `chip ${kind}`, label);
  node.style.setProperty("--chip", colour);
  return node;
}

const REPLY = "Reply (not part of this request)";
const MARKS = { kept: "✓ kept", pinned: "● pinned", dropped: "✕ dropped", edited: "✎ edited", "not sent": "✕ not sent" };

function itemOf(row, { unit, search }, palette, open) {
  const item = element("li", `item ${row.status.replace(" ", "-")}`);
  item.style.setProperty("--edge", palette[row.category] || palette.other);
  const head = item.appendChild(element("div", "head"));
  const reply = row.status === "reply";
  if (reply) item.prepend(element("div", "label", REPLY));
  else head.append(element("span", "place", `${row.place}`));
  head.append(element("span", "role", row.role || "(no role)"));
  if (!reply) head.append(chip(row.status, MARKS[row.status], palette[row.status] || palette.refused));
  for (const mark of row.marks) head.append(chip("mark", mark, palette.other));
  if (row.what) { const what = head.appendChild(element("span", "what", row.what)); what.title = row.what; }
  head.append(measured(row.turn ? `turn ${grouped(row.turn)}` : "", row.size, unit));
  if (row.rule) item.append(element("div", "rule", row.rule));
  item.append(written(element("div", "text"), row.text ?? row.preview, search));
  const foot = item.appendChild(element("div", "foot"));
  if (row.hidden && row.text === null) foot.append(element("span", "hidden", `${counted(row.hidden, "character")} hidden`));
  if (row.hidden || row.text !== null) foot.append(button(row.text === null ? "Full text" : "First lines", row, () => open("text")));
  foot.append(button(row.raw === null ? "Raw JSON" : "Hide JSON", row, () => open("raw")));
  if (row.wished) foot.append(button("Let it go again", row, () => open("keep")));
  else if (["dropped", "edited"].includes(row.status)) foot.append(button("Never drop", row, () => open("keep")));
  foot.append(element("span", "source", row.source));
  if (row.raw !== null) item.append(written(element("pre", "raw"), row.raw));
  return item;
}

function button(label, row, act) {
  const node = element("button", "", label);
  node.type = "button";
  node.setAttribute("aria-label", `${label}, ${row.status === "reply" ? "reply" : `message ${row.place}`}`);
  node.onclick = act;
  return node;
}
