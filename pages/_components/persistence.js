
const MARGIN = { left: 44, right: 14, top: 30, bottom: 46 };
const STATES = ["kept", "pinned", "dropped", "refused"];

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".chart");
  const block = unpack(data);
  root.live = { ...block, fixed: () => keeper.blocks.get(block.head.key), send: (index) => setTriggerValue("picked", index), open: (call, unit) => setTriggerValue("opened", [call, unit]) };
  if (root.timer === undefined) setUp(root);
  if (!root.timer) root.cursor = { call: block.head.picked, unit: root.cursor?.unit ?? -1 };
  if (root.lastPicked !== block.head.picked && root.view) revealInView(root.view, block.head.picked);
  root.lastPicked = block.head.picked;
  root.columns = null;
  keeper.waiting.set(root, (key) => { if (key === root.live.head.key) draw(root); });
  draw(root);
  return () => { root.observer.disconnect(); keeper.waiting.delete(root); };
}

function setUp(root) {
  root.timer = 0;
  root.byAge = true;
  root.box = root.querySelector(".box");
  root.canvas = root.querySelector("canvas");
  root.tip = root.querySelector(".tip");
  root.plot = {
    view: () => viewOf(root, root.live.head.n),
    at: (x) => { const v = root.plot.view(), w = root.box.clientWidth - MARGIN.left - MARGIN.right; return v.x0 + ((x - MARGIN.left) / Math.max(1, w)) * (v.x1 - v.x0); },
    redraw: () => draw(root),
    hover: (x, y) => hover(root, x, y),
    brush: (a, b) => { root.marked = a === null ? null : [a, b]; draw(root); },
    pick: (x) => {
      const call = columnAt(root, x), fixed = root.live.fixed();
      if (call < 0) return;
      const place = root.hoverY === undefined ? -1 : placeAt(root, fixed, call, root.hoverY);
      root.cursor = { call, unit: place < 0 ? -1 : fixed.columns.seen[call] - 1 - place };
      pickSoon(root, 0);
    },
  };
  bindPointer(root, root.canvas, root.plot);
  root.box.onkeydown = (event) => key(root, event);
  root.line = root.querySelector(".unit");
  root.line.querySelector("button").onclick = () => openUnit(root);
  root.querySelector(".all").onclick = () => root.canvas.ondblclick();
  for (const button of root.querySelectorAll("[data-scale]")) {
    button.onclick = () => {
      root.byAge = button.dataset.scale === "age";
      for (const other of root.querySelectorAll("[data-scale]")) other.setAttribute("aria-pressed", String(other === button));
      draw(root);
    };
  }
  root.observer = new ResizeObserver(() => { if (root.box.clientWidth !== root.drawnWidth) draw(root); });
  root.observer.observe(root.box);
}

function pickSoon(root, wait) {
  clearTimeout(root.timer);
  root.timer = setTimeout(() => { root.timer = 0; root.live.send(root.cursor.call); }, wait);
  draw(root);
  announce(root);
}

function key(root, event) {
  const fixed = root.live.fixed();
  if (!fixed) return;
  const { n } = root.live.head, view = root.plot.view(), cursor = root.cursor, step = event.shiftKey ? 10 : 1;
  const call = { ArrowLeft: cursor.call - step, ArrowRight: cursor.call + step, Home: 0, End: n - 1, PageUp: cursor.call - 50, PageDown: cursor.call + 50 }[event.key];
  const age = { ArrowUp: cursor.unit + step, ArrowDown: cursor.unit - step }[event.key];
  if (call !== undefined) {
    cursor.call = Math.min(n - 1, Math.max(0, call));
    revealInView(view, cursor.call);
    pickSoon(root, 250);
  } else if (age !== undefined) {
    cursor.unit = Math.min(Math.max(0, fixed.columns.seen[cursor.call] - 1), Math.max(0, age));
    draw(root);
    announce(root, true);
  } else if (event.key === "+" || event.key === "-") {
    zoomView(view, cursor.call + 0.5, event.key === "+" ? 0.6 : 1.6);
    draw(root);
  } else if (event.key === "0" || event.key === "Escape") {
    placeView(view, 0, n);
    draw(root);
  } else if (event.key === "Enter") {
    if (!openUnit(root)) pickSoon(root, 0);
  } else return;
  event.preventDefault();
}

// The unit under the cursor: its place in the call's context, or -1.
function cursorPlace(root, fixed) {
  return root.cursor.unit < 0 ? -1 : fixed.columns.seen[root.cursor.call] - 1 - root.cursor.unit;
}

function openUnit(root) {
  const fixed = root.live.fixed(), place = fixed ? cursorPlace(root, fixed) : -1, call = root.cursor.call;
  if (place < 0) return false;
  clearTimeout(root.timer);
  root.timer = 0;
  root.live.open(call, unitOf(fixed.head.epochs[fixed.columns.epoch[call]], place));
  return true;
}

// Under the chart, in words: which unit is picked, and what became of it in the picked call.
function sayUnit(root, fixed) {
  const place = cursorPlace(root, fixed), call = root.cursor.call;
  root.line.hidden = place < 0;
  if (place < 0) return;
  const [[unit, state], [what, size], ...rest] = unitRows(root, fixed, call, place);
  const parts = [`${unit}, ${state} in call #${grouped(call)}`, what, size, ...rest.map(([label, value]) => (label === "Units back" ? `${value} units back` : `${label.toLowerCase()} ${value}`))];
  root.line.firstElementChild.textContent = parts.join(" · ");
}

// Dropped ranges of a call, as pairs [from, to). A policy that drops a prefix sends its end alone ("cut", -1 for a refused call).
function rangesOf(root, call) {
  const { cut, ends, ranges } = root.live.columns;
  if (cut) return cut[call] > 0 ? [0, cut[call]] : [];
  return ranges.subarray(2 * (call ? ends[call - 1] : 0), 2 * ends[call]);
}

function isRefused(root, call) {
  const { cut, refused } = root.live.columns;
  return cut ? cut[call] < 0 : refused[call] > 0;
}

// How far back a call drops: the end of its last range.
function reach(root, call) {
  const { cut, ends, ranges } = root.live.columns;
  if (cut) return Math.max(0, cut[call]);
  return ends[call] > (call ? ends[call - 1] : 0) ? ranges[2 * ends[call] - 1] : 0;
}

// Per pixel column (or per call, where there is room) the call that drops most.
function columnsOf(root, width) {
  const view = root.plot.view(), tag = `${view.x0}:${view.x1}:${width}`;
  if (root.columns?.tag === tag) return root.columns;
  const span = view.x1 - view.x0, first = Math.floor(view.x0), last = Math.min(root.live.head.n, Math.ceil(view.x1));
  const found = { tag, call: [], left: [], right: [], refused: [] };
  if (span <= width) {
    const each = width / span, gap = each > 5 ? 1 : 0;
    for (let i = first; i < last; i++) {
      found.call.push(i);
      found.left.push(Math.max(0, (i - view.x0) * each));
      found.right.push(Math.min(width, (i + 1 - view.x0) * each - gap));
      found.refused.push(isRefused(root, i));
    }
  } else {
    for (let x = 0; x < width; x++) {
      const a = Math.max(first, Math.floor(view.x0 + (x / width) * span)), b = Math.min(last, Math.max(a + 1, Math.floor(view.x0 + ((x + 1) / width) * span)));
      let best = a, most = reach(root, a), any = isRefused(root, a);
      for (let i = a + 1; i < b; i++) {
        any = any || isRefused(root, i);
        const far = reach(root, i);
        if (far > most) { best = i; most = far; }
      }
      found.call.push(best);
      found.left.push(x);
      found.right.push(x + 1);
      found.refused.push(any);
    }
  }
  root.columns = found;
  return found;
}

function columnAt(root, x) {
  if (!root.live.fixed() || !root.plotWidth) return -1;
  const found = columnsOf(root, root.plotWidth), at = x - MARGIN.left;
  for (let k = 0; k < found.call.length; k++) if (at >= found.left[k] - 0.5 && at <= found.right[k] + 1) return found.call[k];
  return -1;
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
  const view = root.plot.view();
  low = view.x1 - view.x0 >= view.count || low === Infinity ? 0 : Math.max(0, low - Math.ceil((most - low) / 4));
  return { most, low, edge: (call, place) => height * ((place === 0 ? 0 : unitOf(epochs[epoch[call]], place - 1) + 1) - low) / (most - low) };
}

function unitOf(one, place) {
  const runs = one.runs;
  let a = 0, b = runs.length - 1;
  while (a < b) { const m = (a + b + 1) >> 1; if (runs[m][0] <= place) a = m; else b = m - 1; }
  return runs[a][1] + place - runs[a][0];
}

function placeOf(one, unit) {
  for (const [place, first, length] of one.runs) if (unit >= first && unit < first + length) return place + unit - first;
  return -1;
}

function draw(root) {
  const fixed = root.live.fixed();
  if (!fixed) return;
  const { head } = root.live, theme = themed(root), width = root.box.clientWidth, height = head.height;
  if (!width) return;
  root.drawnWidth = width;
  const box = { left: MARGIN.left, top: MARGIN.top, width: Math.max(10, Math.floor(width - MARGIN.left - MARGIN.right)), height: height - MARGIN.top - MARGIN.bottom };
  root.plotWidth = box.width;
  root.canvas.style.height = `${height}px`;
  const { context, ratio } = sizeCanvas(root.canvas, width, height);
  const columns = columnsOf(root, box.width), palette = head.palette[theme.dark ? "dark" : "light"];
  const scale = root.scale = scaleOf(root, columns, fixed, box.height);
  drawAxis(context, root, box, theme, scale);
  drawBands(context, ratio, root, box, columns, fixed, scale, theme, palette);
  context.save();
  context.beginPath();
  context.rect(box.left, box.top, box.width, box.height);
  context.clip();
  context.translate(box.left, box.top);
  drawMarks(context, root, columns, fixed, scale, theme);
  context.restore();
  context.fillStyle = palette.refused;
  for (let k = 0; k < columns.call.length; k++) if (columns.refused[k]) context.fillRect(box.left + columns.left[k], box.top + box.height + 2, Math.max(1, columns.right[k] - columns.left[k]), 6);
  drawCursor(context, root, fixed, box, theme, scale);
  if (root.marked) {
    context.fillStyle = theme.accent;
    context.globalAlpha = 0.18;
    context.fillRect(Math.min(...root.marked), box.top, Math.abs(root.marked[1] - root.marked[0]), box.height);
    context.globalAlpha = 1;
  }
  legend(root, palette);
  sayUnit(root, fixed);
}

function drawAxis(context, root, box, theme, scale) {
  const view = root.plot.view();
  context.font = `12px ${theme.font}`;
  context.lineWidth = 1;
  context.fillStyle = theme.text;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillText(root.byAge ? "units back from the newest" : "unit, oldest on top", 2, box.top - 8);
  context.textAlign = "right";
  context.fillText("call", box.left + box.width, box.top + box.height + 38);
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const value of ticks(view.x0, view.x1 - 1, Math.max(2, box.width / 90))) {
    const at = box.left + ((value + 0.5 - view.x0) / (view.x1 - view.x0)) * box.width;
    context.fillText("#" + grouped(value), Math.min(Math.max(at, box.left + 12), box.left + box.width - 12), box.top + box.height + 12);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const { value, part } of marksOf(root, box, scale)) context.fillText(short(value), box.left - 6, Math.max(box.top + box.height * part, box.top + 4));
}

// The bands are written pixel by pixel: without a graphics card that is several times faster than paths and patterns.
function drawBands(context, ratio, root, box, columns, fixed, scale, theme, palette) {
  const wide = Math.round(box.width * ratio), high = Math.round(box.height * ratio), { seen, task, newest, epoch } = fixed.columns;
  if (root.image?.width !== wide || root.image.height !== high) root.image = context.createImageData(wide, high);
  const pixels = new Uint32Array(root.image.data.buffer), gap = Math.round(6 * ratio), stroke = Math.max(1, Math.round(1.3 * ratio));
  const kept = packed(palette.kept, 128), pinned = packed(palette.pinned, 255);
  const gone = [packed(palette.dropped, 255), packed(palette.dropped, 34)], none = [packed(palette.refused, 255), packed(palette.refused, 34)];
  pixels.fill(0);
  for (const { part } of marksOf(root, box, scale)) {
    const y = Math.min(high - 1, Math.round(high * part));
    pixels.fill(packed(theme.line, 140), y * wide, (y + 1) * wide);
  }
  for (let k = 0; k < columns.call.length; k++) {
    const call = columns.call[k], left = Math.round(columns.left[k] * ratio), right = Math.min(wide, Math.max(left + 1, Math.round(columns.right[k] * ratio)));
    const row = (place) => Math.max(0, Math.min(high, Math.round(scale.edge(call, place) * ratio)));
    const solid = (from, to, colour) => { for (let y = from; y < to; y++) pixels.fill(colour, y * wide + left, y * wide + right); };
    const striped = (from, to, [line, back]) => {
      for (let y = from; y < to; y++) for (let x = left, at = y * wide + left; x < right; x++, at++) pixels[at] = (x + y) % gap < stroke ? line : back;
    };
    if (isRefused(root, call)) { striped(row(0), row(seen[call]), none); continue; }
    const ranges = rangesOf(root, call);
    let from = 0;
    for (let r = 0; r < ranges.length; r += 2) {
      solid(row(from), row(ranges[r]), kept);
      striped(row(ranges[r]), row(Math.min(seen[call], ranges[r + 1])), gone);
      from = ranges[r + 1];
    }
    if (from < seen[call]) solid(row(from), row(seen[call]), kept);
    for (const place of [...fixed.head.epochs[epoch[call]].pinned, task[call], newest[call]]) {
      if (place < 0 || place >= seen[call]) continue;
      const bottom = row(place + 1);
      solid(Math.max(0, Math.min(row(place), bottom - Math.round(2 * ratio))), bottom, pinned);
    }
  }
  context.putImageData(root.image, Math.round(box.left * ratio), Math.round(box.top * ratio));
}

const known = new Map();

// A colour as one little-endian number.
function packed(colour, alpha) {
  const tag = colour + alpha;
  if (!known.has(tag)) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
    known.set(tag, ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0);
  }
  return known.get(tag);
}

// Marks of the vertical axis: value, and where it stands from the top, 0 to 1.
function marksOf(root, box, scale) {
  if (!root.byAge) return ticks(scale.low, scale.most, Math.max(2, box.height / 60)).map((value) => ({ value, part: (value - scale.low) / (scale.most - scale.low) }));
  const shown = [1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000].filter((age) => age <= scale.most);
  return shown.map((value) => ({ value, part: 1 - Math.log1p(value) / Math.log1p(scale.most) }));
}

// Units that hold the text searched for: a line through all calls that received them.
function drawMarks(context, root, columns, fixed, scale, theme) {
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

function drawCursor(context, root, fixed, box, theme, scale) {
  const view = root.plot.view(), { call, unit } = root.cursor;
  if (call < view.x0 - 1 || call > view.x1) return;
  const each = box.width / (view.x1 - view.x0), left = box.left + (call - view.x0) * each, wide = Math.max(2, each);
  context.strokeStyle = theme.accent;
  context.lineWidth = 2;
  context.strokeRect(left - 1, box.top, wide + 1, box.height + 9);
  const middle = left + wide / 2;
  context.fillStyle = theme.accent;
  context.beginPath();
  context.moveTo(middle - 6, box.top - 10);
  context.lineTo(middle + 6, box.top - 10);
  context.lineTo(middle, box.top - 1);
  context.fill();
  const place = fixed.columns.seen[call] - 1 - unit;
  if (unit < 0 || place < 0) return;
  const top = box.top + scale.edge(call, place), tall = Math.max(3, scale.edge(call, place + 1) - scale.edge(call, place));
  if (top >= box.top) context.strokeRect(left - 4, top - 1, wide + 7, tall + 1);
}

function isDropped(root, call, place) {
  const ranges = rangesOf(root, call);
  for (let r = 0; r < ranges.length; r += 2) if (place >= ranges[r] && place < ranges[r + 1]) return true;
  return false;
}

function isPinned(fixed, call, place) {
  const { task, newest, epoch } = fixed.columns;
  return place === task[call] || place === newest[call] || fixed.head.epochs[epoch[call]].pinned.includes(place);
}

function stateOf(root, fixed, call, place) {
  if (isRefused(root, call)) return "refused";
  if (isPinned(fixed, call, place)) return "pinned";
  return isDropped(root, call, place) ? "dropped" : "kept";
}

function countsOf(root, fixed, call) {
  const { seen, task, newest, epoch } = fixed.columns, all = seen[call];
  const ranges = rangesOf(root, call);
  const held = new Set([...fixed.head.epochs[epoch[call]].pinned, task[call], newest[call]].filter((place) => place >= 0 && place < all));
  if (isRefused(root, call)) return { refused: all };
  let dropped = 0;
  for (let r = 0; r < ranges.length; r += 2) {
    dropped += Math.min(all, ranges[r + 1]) - ranges[r];
    for (const place of held) if (place >= ranges[r] && place < ranges[r + 1]) dropped -= 1;
  }
  return { kept: all - dropped - held.size, pinned: held.size, dropped };
}

function colourOf(palette, state) {
  return { kept: palette.kept, pinned: palette.pinned, dropped: palette.dropped, refused: palette.refused }[state];
}

function placeAt(root, fixed, call, y) {
  const seen = fixed.columns.seen[call], at = y - MARGIN.top;
  let a = 0, b = seen - 1;
  if (b < 0 || at < root.scale.edge(call, 0) || at > root.scale.edge(call, seen)) return -1;
  while (a < b) { const m = (a + b + 1) >> 1; if (root.scale.edge(call, m) <= at) a = m; else b = m - 1; }
  return a;
}

function unitRows(root, fixed, call, place) {
  const unit = unitOf(fixed.head.epochs[fixed.columns.epoch[call]], place), { kind, tool, turn, size, born } = fixed.columns;
  const what = fixed.head.kinds[kind[unit]] + (tool[unit] >= 0 ? `: ${fixed.head.tools[tool[unit]]}` : "");
  return [[`Unit ${grouped(unit)}`, stateOf(root, fixed, call, place), null], [what, `${grouped(size[unit])} ${root.live.head.unit}`, null],
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
  const place = fixed.columns.seen[call] - 1 - root.cursor.unit;
  const about = unit && root.cursor.unit >= 0 && place >= 0 ? " " + unitRows(root, fixed, call, place).map(([a, b]) => `${a} ${b}`).join(", ") + "." : "";
  root.querySelector(".live").textContent = `Call ${call}: ${parts.join(", ")} of ${grouped(fixed.columns.seen[call])} units.${about}`;
}

function legend(root, palette) {
  const { cut, refused: marked } = root.live.columns;
  const refused = cut ? cut.some((end) => end < 0) : marked.some(Boolean), marks = root.live.head.marks.length;
  const tag = JSON.stringify([refused, marks > 0, palette.pinned]);
  if (root.legendTag === tag) return;
  root.legendTag = tag;
  const list = root.querySelector(".legend");
  list.replaceChildren();
  const add = (label, className, paint) => {
    const item = list.appendChild(element("li"));
    paint(item.appendChild(element("span", className)));
    item.append(label);
  };
  const stripes = (colour) => (mark) => { mark.style.background = `repeating-linear-gradient(-45deg, ${colour} 0 1.5px, transparent 1.5px 4px)`; mark.style.border = `1px solid ${colour}`; mark.style.boxSizing = "border-box"; };
  add("kept", "swatch", (mark) => { mark.style.background = palette.kept; mark.style.opacity = 0.5; });
  add("pinned: never dropped", "swatch", (mark) => { mark.style.background = palette.pinned; });
  add("dropped", "swatch", stripes(palette.dropped));
  if (refused) add("refused: nothing is sent", "swatch", stripes(palette.refused));
  if (marks) add("holds the text", "stroke", (mark) => { mark.style.borderColor = "currentColor"; });
}
