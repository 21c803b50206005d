
const STATES = ["kept", "pinned", "dropped", "refused"];

const CHART = {
  margin: { left: 44, right: 14, top: 30, bottom: 46 },
  draw, hover, announce,
  pick: (root, call) => {
    const fixed = root.live.fixed(), place = root.hoverY === undefined ? -1 : placeAt(root, fixed, call, root.hoverY);
    root.cursor = { call, unit: place < 0 ? -1 : fixed.columns.seen[call] - 1 - place };
    pickSoon(root, 0);
  },
  ranks: (root) => ({ rank: (call) => reach(root, call), isRefused: (call) => isRefused(root, call) }),
  setUp: (root) => {
    root.byAge = true;
    root.cursor.unit = -1;
    root.box.onkeydown = (event) => { if (root.live.fixed() && key(root, event)) event.preventDefault(); };
    root.line = root.querySelector(".unit");
    root.line.querySelector("button").onclick = () => openUnit(root);
    const scales = [...root.querySelectorAll("[data-scale]")];
    for (const button of scales) {
      button.onclick = () => {
        root.byAge = button.dataset.scale === "age";
        for (const other of scales) other.setAttribute("aria-pressed", String(other === button));
        draw(root);
      };
    }
  },
};

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".chart"), block = unpack(data);
  followAddress(root, block.head.address);
  return showPlot(root, CHART, block, {
    send: (index) => setTriggerValue("picked", index),
    open: (call, unit) => setTriggerValue("opened", [call, unit]),
  });
}

// Up and down pick a unit of the picked call, Enter opens it; the rest as in every plot.
function key(root, event) {
  const { cursor } = root, step = event.shiftKey ? 10 : 1;
  const age = { ArrowUp: cursor.unit + step, ArrowDown: cursor.unit - step }[event.key];
  if (age === undefined) return (event.key === "Enter" && openUnit(root)) || followKey(root, event);
  cursor.unit = Math.min(Math.max(0, root.live.fixed().columns.seen[cursor.call] - 1), Math.max(0, age));
  draw(root);
  announce(root, true);
  return true;
}

// The unit under the cursor: its place in the call's context, or -1.
function cursorPlace(root, fixed) {
  return root.cursor.unit < 0 ? -1 : fixed.columns.seen[root.cursor.call] - 1 - root.cursor.unit;
}

function openUnit(root) {
  const fixed = root.live.fixed(), place = fixed ? cursorPlace(root, fixed) : -1, call = root.cursor.call;
  if (place < 0) return false;
  stopPicking(root);
  root.live.open(call, unitOf(fixed.head.epochs[fixed.columns.epoch[call]], place));
  return true;
}

// Under the chart, in words: which unit is picked, and what became of it in the picked call.
function sayUnit(root, fixed) {
  const place = cursorPlace(root, fixed), call = root.cursor.call;
  root.line.hidden = place < 0;
  if (place < 0) return;
  const [[unit, state], [what, size], ...rest] = unitRows(root, fixed, call, place);
  const parts = [`${unit}, ${state} in call #${grouped(call)}`, what, size, ...rest.map(([label, value]) => (label === "Units back" ? (value === "0" ? "the newest" : value === "1" ? "1 unit back" : `${value} units back`) : `${label.toLowerCase()} ${value}`))];
  root.line.firstElementChild.textContent = parts.join(" · ");
}

// Where the upper edge of a place stands, from the top of the plot.
function scaleOf(root, columns, fixed, height) {
  const { seen, epoch } = fixed.columns, epochs = fixed.head.epochs;
  let most = 1;
  if (root.byAge) {
    for (const call of columns.call) most = Math.max(most, seen[call]);
    const whole = Math.log1p(most);
    return { most, edge: (call, place) => height - (height * Math.log1p(seen[call] - place)) / whole };
  }
  let low = Infinity;
  for (let k = 0; k < columns.call.length; k++) {
    const call = columns.call[k], one = epochs[epoch[call]];
    if (!seen[call]) continue;
    most = Math.max(most, unitOf(one, seen[call] - 1) + 1);
    low = Math.min(low, unitOf(one, Math.min(reach(root, call), seen[call] - 1)));
  }
  const view = viewOf(root);
  low = view.x1 - view.x0 >= view.count || low === Infinity ? 0 : Math.max(0, low - Math.ceil((most - low) / 4));
  return { most, low, edge: (call, place) => height * ((place === 0 ? 0 : unitOf(epochs[epoch[call]], place - 1) + 1) - low) / (most - low) };
}

function draw(root) {
  const frame = beginDrawing(root);
  if (!frame) return;
  const { context, fixed, theme, palette, box, columns, view } = frame;
  const scale = root.scale = scaleOf(root, columns, fixed, box.height), marks = marksOf(root, box, scale);
  drawAxes(context, box, theme, view, marks, root.byAge ? "units back from the newest" : "unit, oldest on top");
  drawBands(root, frame, marks, scale);
  context.save();
  context.beginPath();
  context.rect(box.left, box.top, box.width, box.height);
  context.clip();
  context.translate(box.left, box.top);
  drawFound(context, root, columns, fixed, scale, theme);
  context.restore();
  drawRefused(context, columns, box, palette);
  const picked = drawPicked(context, root.cursor.call, view, box, theme);
  if (picked) drawUnit(context, root, fixed, box, scale, picked);
  drawMarked(context, root.marked, box, theme);
  legend(root, palette);
  sayUnit(root, fixed);
}

function drawBands(root, { context, ratio, fixed, theme, palette, box, columns }, marks, scale) {
  const { pixels, wide, high, gap, stroke, show } = picture(root, context, ratio, box, theme, marks), { seen, task, newest, epoch } = fixed.columns;
  const kept = rgba(palette.kept, 128), pinned = rgba(palette.pinned, 255), gone = hatch(palette.dropped), none = hatch(palette.refused);
  for (let k = 0; k < columns.call.length; k++) {
    const call = columns.call[k], left = Math.round(columns.left[k] * ratio), right = Math.min(wide, Math.max(left + 1, Math.round(columns.right[k] * ratio)));
    const row = (place) => Math.max(0, Math.min(high, Math.round(scale.edge(call, place) * ratio)));
    const solid = (from, to, colour) => { for (let y = from; y < to; y++) pixels.fill(colour, y * wide + left, y * wide + right); };
    const hatched = (from, to, [line, back]) => {
      for (let y = from; y < to; y++) for (let x = left, at = y * wide + left; x < right; x++, at++) pixels[at] = (x + y) % gap < stroke ? line : back;
    };
    if (isRefused(root, call)) { hatched(row(0), row(seen[call]), none); continue; }
    const ranges = rangesOf(root, call);
    let from = 0;
    for (let r = 0; r < ranges.length; r += 2) {
      solid(row(from), row(ranges[r]), kept);
      hatched(row(ranges[r]), row(Math.min(seen[call], ranges[r + 1])), gone);
      from = ranges[r + 1];
    }
    if (from < seen[call]) solid(row(from), row(seen[call]), kept);
    for (const place of [...fixed.head.epochs[epoch[call]].pinned, task[call], newest[call]]) {
      if (place < 0 || place >= seen[call]) continue;
      const bottom = row(place + 1);
      solid(Math.max(0, Math.min(row(place), bottom - Math.round(2 * ratio))), bottom, pinned);
    }
  }
  show();
}

// Marks of the vertical axis: value, and where it stands from the top, 0 to 1.
function marksOf(root, box, scale) {
  if (!root.byAge) return ticks(scale.low, scale.most, Math.max(2, box.height / 60)).map((value) => ({ value, part: (value - scale.low) / (scale.most - scale.low) }));
  const shown = [1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000].filter((age) => age <= scale.most);
  return shown.map((value) => ({ value, part: 1 - Math.log1p(value) / Math.log1p(scale.most) }));
}

// Units that hold the text searched for: a line through all calls that received them.
function drawFound(context, root, columns, fixed, scale, theme) {
  const { seen, epoch } = fixed.columns;
  context.fillStyle = theme.text;
  for (const unit of root.live.head.marks) {
    for (let k = 0; k < columns.call.length; k++) {
      const call = columns.call[k], place = placeOf(fixed.head.epochs[epoch[call]], unit);
      if (place < 0 || place >= seen[call]) continue;
      context.fillRect(columns.left[k], (scale.edge(call, place) + scale.edge(call, place + 1)) / 2 - 1, Math.max(1, columns.right[k] - columns.left[k]), 2);
    }
  }
}

// The picked unit of the picked call.
function drawUnit(context, root, fixed, box, scale, { left, wide }) {
  const place = cursorPlace(root, fixed), { call } = root.cursor;
  if (place < 0) return;
  const top = box.top + scale.edge(call, place), tall = Math.max(3, scale.edge(call, place + 1) - scale.edge(call, place));
  if (top >= box.top) context.strokeRect(left - 4, top - 1, wide + 7, tall + 1);
}

function colourOf(palette, state) {
  return { kept: palette.kept, pinned: palette.pinned, dropped: palette.dropped, refused: palette.refused }[state];
}

function placeAt(root, fixed, call, y) {
  const seen = fixed.columns.seen[call], at = y - CHART.margin.top;
  let a = 0, b = seen - 1;
  if (b < 0 || at < root.scale.edge(call, 0) || at > root.scale.edge(call, seen)) return -1;
  while (a < b) { const m = (a + b + 1) >> 1; if (root.scale.edge(call, m) <= at) a = m; else b = m - 1; }
  return a;
}

function unitRows(root, fixed, call, place) {
  const unit = unitOf(fixed.head.epochs[fixed.columns.epoch[call]], place), { kind, tool, turn, size, born } = fixed.columns;
  const what = fixed.head.kinds[kind[unit]] + (tool[unit] >= 0 ? `: ${fixed.head.tools[tool[unit]]}` : "");
  return [[`Unit ${grouped(unit)}`, stateOf(root, fixed, call, place), null], [what, amount(size[unit], root.live.head.unit), null],
    ["Turn", grouped(turn[unit]), null], ["Born at", "#" + grouped(born[unit]), null], ["Units back", grouped(fixed.columns.seen[call] - 1 - place), null]];
}

function hover(root, x, y) {
  root.hoverY = x === null ? undefined : y;
  const fixed = root.live.fixed(), call = x === null || !fixed ? -1 : columnAt(root, x);
  if (call < 0) { root.tip.hidden = true; return; }
  const palette = root.live.head.palette[themed(root).dark ? "dark" : "light"], counts = countsOf(root, fixed, call);
  const rows = STATES.filter((state) => counts[state] !== undefined).map((state) => [state, grouped(counts[state]), colourOf(palette, state)]);
  const place = placeAt(root, fixed, call, y);
  if (place >= 0) rows.push(...unitRows(root, fixed, call, place));
  showTip(root.tip, root.box, `Call #${grouped(call)}`, rows, x, Math.max(0, Math.min(y - 20, root.live.head.height - 210)));
}

function announce(root, unit = false) {
  const fixed = root.live.fixed();
  if (!fixed) return;
  const call = root.cursor.call, counts = countsOf(root, fixed, call);
  const parts = STATES.filter((state) => counts[state] !== undefined).map((state) => `${grouped(counts[state])} ${state}`);
  const place = cursorPlace(root, fixed);
  const about = unit && place >= 0 ? " " + unitRows(root, fixed, call, place).map(([a, b]) => `${a} ${b}`).join(", ") + "." : "";
  root.querySelector(".live").textContent = `Call ${call}: ${parts.join(", ")} of ${counted(fixed.columns.seen[call], "unit")}.${about}`;
}

function legend(root, palette) {
  const { cut, refused: marked } = root.live.columns;
  const refused = cut ? cut.some((end) => end < 0) : marked.some(Boolean), found = root.live.head.marks.length > 0;
  const entries = [["kept", "swatch", filled(palette.kept, 0.5)], ["pinned: never dropped", "swatch", filled(palette.pinned)], ["dropped", "swatch", striped(palette.dropped)]];
  if (refused) entries.push(["refused: nothing is sent", "swatch", striped(palette.refused)]);
  if (found) entries.push(["holds the text", "stroke", ruled("currentColor")]);
  drawLegend(root, entries, JSON.stringify([refused, found, palette.pinned]));
}
