// One bar per call, coloured by what the budget does to it; the pointer or the keys pick a call. Behind plot.js.
const FITS = 0, TRIMMED = 1, REFUSED = 2, LOST = 3, SHAPES = ["context", "plan", "state", "lost"];
const CHART = {
  margin: { left: 52, right: 14, top: 12, bottom: 15 },
  draw, hover, announce,
  pick: (root, call) => { root.cursor.call = call; pickSoon(root, 0); },
  ranks: (root) => {
    const { before, state } = shown(root);
    return { rank: (call) => before[call], isRefused: (call) => state[call] === REFUSED };
  },
  setUp: (root) => {
    root.box.onkeydown = (event) => { if (!"+-0".includes(event.key) && followKey(root, event)) event.preventDefault(); };
    bindScrub(root);
  },
};

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".chart"), block = unpack(data), send = (index) => setTriggerValue("picked", index);
  showOnly(root);
  const theme = themed(root), tag = JSON.stringify([block.head, ...Object.values(block.columns).map(String), theme.text, theme.back]);
  if (root.shownTag === tag && keeper.waiting.has(root)) { root.live.send = send; return root.leave; }
  root.shownTag = tag;
  return (root.leave = showPlot(root, CHART, { ...block, states: spread(block) }, { send }));
}

// While a page is made, the strip of the page before may still stand there: one is enough.
function showOnly(root) {
  const before = globalThis.__ctxscopeStrip;
  if (before && before !== root) before.hidden = true;
  root.hidden = false;
  globalThis.__ctxscopeStrip = root;
}

// The state of each call, from where another one begins.
function spread({ head, columns: { begins, state } }) {
  const found = new Int8Array(head.n);
  begins.forEach((from, k) => found.fill(state[k], from, begins[k + 1] ?? head.n));
  return found;
}

// Bars, states and marks: of the thread, and of the budget. Marks of the thread come later, when the page stands.
function shown(root) {
  const { head, columns, states } = root.live, marks = keeper.blocks.get(head.search)?.columns, { before } = root.live.fixed().columns;
  if (root.shown?.states === states && root.shown.marks === marks && root.shown.before === before) return root.shown;
  const none = new Int32Array(0), lost = columns.lost.map(() => LOST);
  const both = (first, second) => { const joined = new Int32Array(first.length + second.length); joined.set(first); joined.set(second, first.length); return joined; };
  return (root.shown = {
    states, marks, before, state: states, mark_call: both(marks?.mark_call ?? none, columns.lost), mark_kind: both(marks?.mark_kind ?? none, lost),
  });
}

// A drag runs over the calls; the last one is picked when the pointer is let go.
function bindScrub(root) {
  const { canvas } = root, place = (event) => event.clientX - canvas.getBoundingClientRect().left;
  let held = false;
  const follow = (event) => {
    const call = columnAt(root, place(event));
    if (call < 0 || call === root.cursor.call) return;
    root.cursor.call = call;
    draw(root);
    announce(root);
  };
  canvas.onwheel = canvas.ondblclick = canvas.onclick = null;
  canvas.onpointerdown = (event) => {
    if (event.button) return;
    held = true;
    canvas.setPointerCapture(event.pointerId);
    follow(event);
  };
  canvas.onpointermove = (event) => { if (held) follow(event); hover(root, place(event)); };
  canvas.onpointerup = () => { if (held && root.cursor.call !== root.live.head.picked) pickSoon(root, 0); held = false; };
  canvas.onpointercancel = () => { held = false; root.cursor.call = root.live.head.picked; draw(root); };
}

function draw(root) {
  const frame = beginDrawing(root);
  if (!frame) return;
  const { context, head, theme, palette, box, columns, view } = frame, { before, state } = shown(root);
  if (root.peakOf !== before) { root.peakOf = before; root.peak = before.reduce((a, b) => Math.max(a, b), 1); }
  context.fillStyle = theme.line;
  context.fillRect(box.left, box.top + box.height, box.width, 1);
  for (let k = 0; k < columns.call.length; k++) {
    const call = columns.call[k], tall = Math.max(2, (before[call] / root.peak) * box.height), what = columns.refused[k] ? REFUSED : state[call];
    context.fillStyle = colourOf(palette, what);
    context.globalAlpha = what === FITS && head.budget ? 0.35 + 0.65 * Math.min(1, before[call] / head.budget) : 1;
    context.fillRect(box.left + columns.left[k], box.top + box.height - tall, Math.max(1, columns.right[k] - columns.left[k]), tall);
  }
  context.globalAlpha = 1;
  drawShapes(context, root, box, palette, view);
  drawPicked(context, root.cursor.call, view, { ...box, height: box.height - 9 }, theme);
  context.fillStyle = theme.text;
  context.font = `12px ${theme.font}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText(`#${grouped(root.cursor.call)}`, box.left - 6, box.top + box.height / 2);
  strokes(root, palette);
  say(root);
}

// What assistive software reads of the slider that the strip is.
function say(root) {
  const { head } = root.live, { call } = root.cursor, [[, size], [, state]] = words(root, call);
  const told = { valuemin: 0, valuemax: head.n - 1, valuenow: call, valuetext: `Call ${call} of ${head.n}: ${size}, ${state}` };
  for (const [name, value] of Object.entries(told)) root.box.setAttribute(`aria-${name}`, value);
}

function colourOf(palette, state) {
  return [palette.kept, palette.tool_calls, palette.refused][state];
}

// Under the bars: a diamond where the context changed, a triangle where the plan did, a dot where a value did, a cross where something needed was gone.
function drawShapes(context, root, box, palette, view) {
  const { mark_call: calls, mark_kind: kinds } = shown(root), y = box.top + box.height + 8, last = [-9, -9, -9, -9];
  for (let at = 0; at < calls.length; at++) {
    const kind = kinds[at], x = box.left + ((calls[at] + 0.5 - view.x0) / (view.x1 - view.x0)) * box.width;
    if (x - last[kind] < (kind === 3 ? 8 : 3)) continue;
    last[kind] = x;
    context.fillStyle = context.strokeStyle = shapeColour(palette, kind);
    context.lineWidth = 2;
    context.beginPath();
    if (kind === 0) { context.moveTo(x, y - 5); context.lineTo(x + 5, y); context.lineTo(x, y + 5); context.lineTo(x - 5, y); }
    else if (kind === 1) { context.moveTo(x, y - 3); context.lineTo(x + 4, y + 4); context.lineTo(x - 4, y + 4); }
    else if (kind === 2) context.arc(x, y, 2, 0, 7);
    else for (const [dx, dy] of [[1, 1], [1, -1]]) { context.moveTo(x - 3 * dx, y - 3 * dy); context.lineTo(x + 3 * dx, y + 3 * dy); }
    if (kind === 3) context.stroke();
    else context.fill();
  }
}

function shapeColour(palette, kind) {
  return [palette.summary, palette.pinned, palette.user, palette.refused][kind];
}

function marksOf(root, call) {
  const { mark_call: calls, mark_kind: kinds } = shown(root), found = [];
  for (let at = 0; at < calls.length; at++) if (calls[at] === call) found.push(kinds[at]);
  return found;
}

function words(root, call) {
  const { before, state } = shown(root), { head } = root.live;
  return [["size", amount(before[call], head.unit), null], ["at the budget", head.states[state[call]], null]];
}

function hover(root, x) {
  const call = x === null ? -1 : columnAt(root, x);
  if (call < 0) { root.tip.hidden = true; return; }
  const palette = root.live.head.palette[themed(root).dark ? "dark" : "light"];
  const marks = marksOf(root, call).map((kind) => [root.live.head.marks[kind], "", shapeColour(palette, kind)]);
  showTip(root.tip, root.box, `Call #${grouped(call)}`, [...words(root, call), ...marks], x, root.live.head.height + 4);
}

function announce(root) {
  if (!root.live.fixed()) return;
  const { head } = root.live, { call } = root.cursor, [[, size], [, state]] = words(root, call);
  root.querySelector(".live").textContent = [`Call ${call} of ${head.n}: ${size}, ${state}.`, ...marksOf(root, call).map((kind) => `${head.marks[kind]}.`)].join(" ");
}

function strokes(root, palette) {
  const { head } = root.live, { mark_kind: kinds } = shown(root), present = [...new Set(root.live.columns.state)].sort(), found = [...new Set(kinds)].sort();
  const entries = present.map((state) => [head.states[state], "swatch", filled(colourOf(palette, state))]);
  for (const kind of found) entries.push([head.marks[kind], SHAPES[kind], filled(shapeColour(palette, kind))]);
  if (head.open) entries.push([head.open, SHAPES[LOST], filled(shapeColour(palette, LOST))]);
  drawLegend(root, entries, JSON.stringify([present, found, head.open, palette.kept]));
}
