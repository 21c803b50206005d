
const MARGIN = { left: 52, right: 14, top: 22, bottom: 46 };

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".chart");
  const block = unpack(data);
  root.live = { ...block, fixed: () => keeper.blocks.get(block.head.key), send: (index) => setTriggerValue("picked", index) };
  // The address follows here: a message from the server for it would cost as much time as the chart.
  if (block.head.address && block.head.address !== location.search) history.replaceState(history.state, "", block.head.address);
  if (root.timer === undefined) setUp(root);
  if (!root.timer) root.cursor = block.head.picked;
  if (root.lastPicked !== block.head.picked && root.view) revealInView(root.view, block.head.picked);
  root.lastPicked = block.head.picked;
  keeper.waiting.set(root, (key) => { if (key === root.live.head.key) draw(root); });
  draw(root);
  return () => { root.observer.disconnect(); keeper.waiting.delete(root); };
}

// What the slider changed, for one call: size after (-1: refused) and what is lost of a category.
// A policy that cuts a prefix sends one column of cuts; sums over units, sent once, give the rest.
function readings(fixed, now, notice) {
  const { columns, head } = fixed, { cut } = now;
  if (!cut) return { after: (call) => now.after[call], lost: (call, name) => now["dropped_" + name]?.[call] ?? 0 };
  const upto = (sum, call) => {
    if (!sum || cut[call] < 0) return 0;
    const at = cut[call], task = columns.task[call];
    return sum[at] - (task >= 0 && task < at ? sum[task + 1] - sum[task] : 0);
  };
  const lost = (call, name) => upto(columns["sum_" + name], call);
  const after = (call) => {
    if (cut[call] < 0) return -1;
    const count = upto(columns.sum_messages, call);
    let rest = columns.before[call];
    for (const name of head.names) rest -= lost(call, name);
    return rest + (count ? notice[String(count).length] : 0);
  };
  return { after, lost };
}

function setUp(root) {
  root.timer = 0;
  root.box = root.querySelector(".box");
  root.canvas = root.querySelector("canvas");
  root.tip = root.querySelector(".tip");
  root.plot = {
    view: () => viewOf(root, root.live.head.n),
    at: (x) => { const v = root.plot.view(), w = root.box.clientWidth - MARGIN.left - MARGIN.right; return v.x0 + ((x - MARGIN.left) / Math.max(1, w)) * (v.x1 - v.x0); },
    redraw: () => draw(root),
    hover: (x, y) => hover(root, x, y),
    brush: (a, b) => { root.marked = a === null ? null : [a, b]; draw(root); },
    pick: (x) => { const call = columnAt(root, x); if (call >= 0) { root.cursor = call; pickSoon(root, 0); } },
  };
  bindPointer(root, root.canvas, root.plot);
  root.box.onkeydown = (event) => key(root, event);
  root.querySelector(".all").onclick = () => root.canvas.ondblclick();
  root.querySelector(".near").onclick = (event) => {
    root.near = !isNear(root);
    draw(root);
  };
  root.observer = new ResizeObserver(() => { if (root.box.clientWidth !== root.drawnWidth) draw(root); });
  root.observer.observe(root.box);
}

function pickSoon(root, wait) {
  clearTimeout(root.timer);
  root.timer = setTimeout(() => { root.timer = 0; root.live.send(root.cursor); }, wait);
  draw(root);
  announce(root);
}

function key(root, event) {
  const { n } = root.live.head, view = root.plot.view();
  const step = event.shiftKey ? 10 : 1;
  const target = { ArrowLeft: root.cursor - step, ArrowRight: root.cursor + step, Home: 0, End: n - 1, PageUp: root.cursor - 50, PageDown: root.cursor + 50 }[event.key];
  if (target !== undefined) {
    root.cursor = Math.min(n - 1, Math.max(0, target));
    revealInView(view, root.cursor);
    pickSoon(root, 250);
  } else if (event.key === "+" || event.key === "-") {
    zoomView(view, root.cursor + 0.5, event.key === "+" ? 0.6 : 1.6);
    draw(root);
  } else if (event.key === "0" || event.key === "Escape") {
    placeView(view, 0, n);
    draw(root);
  } else if (event.key === "Enter") {
    pickSoon(root, 0);
  } else return;
  event.preventDefault();
}

// Per pixel column (or per call, where there is room) the call with the largest request in it.
function columnsOf(root, width) {
  const view = root.plot.view(), { before } = root.live.fixed().columns;
  const tag = `${view.x0}:${view.x1}:${width}:${root.live.head.key}`;
  if (root.columns?.tag === tag) return root.columns;
  const span = view.x1 - view.x0, first = Math.floor(view.x0), last = Math.min(root.live.head.n, Math.ceil(view.x1));
  const found = { tag, call: [], left: [], right: [] };
  if (span <= width) {
    const each = width / span, gap = each > 5 ? 1 : 0;
    for (let i = first; i < last; i++) {
      found.call.push(i);
      found.left.push(Math.max(0, (i - view.x0) * each));
      found.right.push(Math.min(width, (i + 1 - view.x0) * each - gap));
    }
  } else {
    for (let x = 0; x < width; x++) {
      const a = Math.max(first, Math.floor(view.x0 + (x / width) * span)), b = Math.min(last, Math.max(a + 1, Math.floor(view.x0 + ((x + 1) / width) * span)));
      let best = a;
      for (let i = a + 1; i < b; i++) if (before[i] > before[best]) best = i;
      found.call.push(best);
      found.left.push(x);
      found.right.push(x + 1);
    }
  }
  root.columns = found;
  return found;
}

function columnAt(root, x) {
  if (!root.live.fixed()) return -1;
  const found = columnsOf(root, root.plotWidth), at = x - MARGIN.left;
  for (let k = 0; k < found.call.length; k++) if (at >= found.left[k] - 0.5 && at <= found.right[k] + 1) return found.call[k];
  return -1;
}

function draw(root) {
  const fixed = root.live.fixed();
  if (!fixed) return;
  const { head, columns: now } = root.live, theme = themed(root), width = root.box.clientWidth, height = head.height;
  if (!width) return;
  root.drawnWidth = width;
  const box = { left: MARGIN.left, top: MARGIN.top, width: Math.max(10, Math.floor(width - MARGIN.left - MARGIN.right)), height: height - MARGIN.top - MARGIN.bottom };
  root.plotWidth = box.width;
  root.canvas.style.height = `${height}px`;
  const { context, ratio } = sizeCanvas(root.canvas, width, height);
  root.read = readings(fixed, now, head.notice);
  const columns = columnsOf(root, box.width), palette = head.palette[theme.dark ? "dark" : "light"];
  const y = { max: top(root, columns, fixed.columns.before), label: head.unit };
  const x = { ...root.plot.view(), gap: 12, label: "call" };
  drawAxes(context, box, theme, x, y);
  drawStacks(root, context, ratio, box, columns, theme, palette, y.max);
  drawClipped(context, columns, fixed.columns.before, box, theme, y.max);
  drawRefused(context, columns, root.read.after, box, palette);
  drawEvents(root, context, fixed.head.events, box, palette);
  for (const line of head.lines) drawLine(context, line, box, y.max, palette, theme);
  drawCursor(context, root, columns, box, theme);
  if (root.marked) {
    context.fillStyle = theme.accent;
    context.globalAlpha = 0.18;
    context.fillRect(Math.min(...root.marked), box.top, Math.abs(root.marked[1] - root.marked[0]), box.height);
    context.globalAlpha = 1;
  }
  context.fillStyle = theme.text;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  legend(root, fixed, palette, y.max);
}

// Until the visitor chooses, the axis ends near the budget where the largest request is so much larger that nothing kept could be seen.
function isNear(root) {
  const { budget } = root.live.head, before = root.live.fixed().columns.before;
  if (root.near !== undefined || !budget) return Boolean(root.near && budget);
  if (root.peakOf !== before) { root.peakOf = before; root.peak = before.reduce((a, b) => Math.max(a, b), 1); }
  return root.peak > 8 * budget;
}

// The highest value shown: all of it, or a little above the budget.
function top(root, columns, before) {
  let most = 1;
  for (const call of columns.call) if (before[call] > most) most = before[call];
  const budget = root.live.head.budget, near = isNear(root);
  root.querySelector(".near").setAttribute("aria-pressed", String(near));
  if (near) return Math.min(most * 1.04, budget * 1.6);
  return (budget && budget < most * 1.3 ? Math.max(most, budget) : most) * 1.04;
}

// The bars are written pixel by pixel: without a graphics card that is several times faster than paths and patterns.
function drawStacks(root, context, ratio, box, columns, theme, palette, max) {
  const wide = Math.round(box.width * ratio), high = Math.round(box.height * ratio);
  if (root.image?.width !== wide || root.image.height !== high) root.image = context.createImageData(wide, high);
  const pixels = new Uint32Array(root.image.data.buffer), { read } = root, fixed = root.live.fixed();
  const names = fixed.head.names, colours = names.map((name) => rgba(palette[name], 255)), before = fixed.columns.before;
  const scale = high / max, gap = Math.round(6 * ratio), stroke = Math.max(1, Math.round(1.3 * ratio));
  const dropped = [rgba(palette.dropped, 255), rgba(palette.dropped, 34)], refused = [rgba(palette.refused, 255), rgba(palette.refused, 34)];
  pixels.fill(0);
  for (const value of ticks(0, max, Math.max(2, box.height / 60))) {
    const y = Math.min(high - 1, Math.round(high * (1 - value / max)));
    if (y >= 0) pixels.fill(rgba(theme.line, 140), y * wide, (y + 1) * wide);
  }
  for (let k = 0; k < columns.call.length; k++) {
    const call = columns.call[k], left = Math.round(columns.left[k] * ratio), right = Math.max(left + 1, Math.round(columns.right[k] * ratio));
    const sent = read.after(call) >= 0;
    let base = 0, from = high;
    for (let n = 0; sent && n < names.length && from > 0; n++) {
      base += fixed.columns[names[n]][call] - read.lost(call, names[n]);
      const to = Math.max(0, Math.round(high - base * scale));
      if (right - left === 1) for (let at = to * wide + left, stop = from * wide; at < stop; at += wide) pixels[at] = colours[n];
      else for (let y = to; y < from; y++) pixels.fill(colours[n], y * wide + left, y * wide + right);
      from = Math.min(from, to);
    }
    const [line, back] = sent ? dropped : refused, end = Math.max(0, Math.round(high - before[call] * scale));
    for (let x = left; x < right; x++) {
      for (let y = end, at = end * wide + x, phase = (x + end) % gap; y < from; y++, at += wide) {
        pixels[at] = phase < stroke ? line : back;
        if (++phase === gap) phase = 0;
      }
    }
  }
  context.putImageData(root.image, Math.round(box.left * ratio), Math.round(box.top * ratio));
}

const parsed = new Map();

// A colour as one little-endian number.
function rgba(colour, alpha) {
  const tag = colour + alpha;
  if (!parsed.has(tag)) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
    parsed.set(tag, ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0);
  }
  return parsed.get(tag);
}

// Says how far bars go on above the chart.
function drawClipped(context, columns, before, box, theme, max) {
  let most = 0;
  for (const call of columns.call) most = Math.max(most, before[call]);
  if (most <= max) return;
  context.font = `12px ${theme.font}`;
  context.fillStyle = theme.text;
  context.textAlign = "right";
  context.textBaseline = "alphabetic";
  context.fillText(`↑ bars go on to ${short(most)}`, box.left + box.width - 20, box.top - 8);
}

function drawRefused(context, columns, after, box, palette) {
  context.fillStyle = palette.refused;
  for (let k = 0; k < columns.call.length; k++) {
    if (after(columns.call[k]) >= 0) continue;
    context.fillRect(box.left + columns.left[k], box.top + box.height + 2, Math.max(1, columns.right[k] - columns.left[k]), 6);
  }
}

// What happened to the context: a diamond under the axis at its call, one per pixel column.
function drawEvents(root, context, events, box, palette) {
  const y = box.top + box.height + 33;
  let last = -Infinity;
  context.fillStyle = palette.summary;
  for (const [call] of events) {
    const x = eventAt(root, call, box.width);
    if (x < 0 || x > box.width || x - last < 1) continue;
    last = x;
    context.beginPath();
    context.moveTo(box.left + x, y - 6);
    context.lineTo(box.left + x + 6, y);
    context.lineTo(box.left + x, y + 6);
    context.lineTo(box.left + x - 6, y);
    context.fill();
  }
}

function eventAt(root, call, width) {
  const view = root.plot.view();
  return ((call + 0.5 - view.x0) / (view.x1 - view.x0)) * width;
}

// Events of a call, or those whose diamonds the pointer is on; a few of them, the rest as a number.
function eventRows(root, palette, test, most = 4) {
  const found = root.live.fixed().head.events.filter(([call]) => test(call));
  const rows = found.slice(0, most).map(([call, what, text]) => [`#${grouped(call)} ${what}: ${text}`, "", palette.summary]);
  if (found.length > most) rows.push([`${grouped(found.length - most)} more here`, "", palette.summary]);
  return rows;
}

function drawLine(context, line, box, max, palette, theme) {
  if (line.value > max) return;
  const at = Math.round(box.top + box.height * (1 - line.value / max)) + 0.5;
  context.strokeStyle = line.kind === "budget" ? theme.text : palette[line.kind];
  context.lineWidth = line.kind === "budget" ? 2 : 1.5;
  context.setLineDash(line.kind === "budget" ? [] : [6, 4]);
  context.beginPath();
  context.moveTo(box.left, at);
  context.lineTo(box.left + box.width, at);
  context.stroke();
  context.setLineDash([]);
  const label = `${line.label} ${grouped(line.value)}`;
  context.font = `600 12px ${theme.font}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const wide = context.measureText(label).width, above = at - 11 > box.top + 6 ? at - 11 : at + 11;
  context.globalAlpha = 0.85;
  context.fillStyle = theme.back;
  context.fillRect(box.left + 4, above - 8, wide + 8, 16);
  context.globalAlpha = 1;
  context.fillStyle = line.kind === "budget" ? theme.text : palette[line.kind];
  context.fillText(label, box.left + 8, above);
}

function drawCursor(context, root, columns, box, theme) {
  const view = root.plot.view();
  if (root.cursor < view.x0 - 1 || root.cursor > view.x1) return;
  const each = box.width / (view.x1 - view.x0), left = box.left + (root.cursor - view.x0) * each, wide = Math.max(2, each);
  context.strokeStyle = theme.accent;
  context.lineWidth = 2;
  context.strokeRect(left - 1, box.top, wide + 1, box.height + 9);
  context.fillStyle = theme.accent;
  const middle = left + wide / 2;
  context.beginPath();
  context.moveTo(middle - 6, box.top - 11);
  context.lineTo(middle + 6, box.top - 11);
  context.lineTo(middle, box.top - 2);
  context.fill();
}

function rowsOf(root, call, palette) {
  const fixed = root.live.fixed(), { head } = root.live, after = root.read.after(call), before = fixed.columns.before[call];
  const rows = [["before", `${grouped(before)} ${head.unit}`, null]];
  rows.push(after < 0 ? ["after", "refused", palette.refused] : ["after", `${grouped(after)} ${head.unit}`, null]);
  for (const name of fixed.head.names) {
    const size = fixed.columns[name][call], gone = after < 0 ? 0 : root.read.lost(call, name);
    if (size) rows.push([head.words[name], gone ? `${grouped(size - gone)} of ${grouped(size)}` : grouped(size), palette[name]]);
  }
  return rows;
}

function hover(root, x, y) {
  const call = x === null ? -1 : columnAt(root, x);
  if (call < 0) { root.tip.hidden = true; return; }
  const palette = root.live.head.palette[themed(root).dark ? "dark" : "light"];
  const under = y > root.live.head.height - MARGIN.bottom, near = (one) => Math.abs(eventAt(root, one, root.plotWidth) - (x - MARGIN.left)) <= 7;
  const events = eventRows(root, palette, (one) => one === call || (under && near(one)));
  showTip(root.tip, root.box, `Call #${grouped(call)}`, [...rowsOf(root, call, palette), ...events], x, Math.max(0, Math.min(y - 20, root.live.head.height - 160)));
}

function announce(root) {
  const fixed = root.live.fixed();
  if (!fixed) return;
  const { head } = root.live, after = root.read.after(root.cursor);
  root.querySelector(".live").textContent =
    `Call ${root.cursor} of ${head.n}: before ${grouped(fixed.columns.before[root.cursor])} ${head.unit}, ` + (after < 0 ? "refused." : `after ${grouped(after)} ${head.unit}.`) +
    eventRows(root, {}, (one) => one === root.cursor).map(([text]) => ` ${text}`).join("");
}

function legend(root, fixed, palette, max) {
  const { head, columns: now } = root.live, list = root.querySelector(".legend");
  const refused = (now.cut ?? now.after).some((value) => value < 0);
  const lines = head.lines.map((line) => [line.kind, line.value > max ? `${line.label} ${grouped(line.value)} (above the chart)` : line.label]);
  const tag = JSON.stringify([fixed.head.names, fixed.head.events.length > 0, refused, lines, palette.tools]);
  if (root.legendTag === tag) return;
  root.legendTag = tag;
  list.replaceChildren();
  const add = (label, className, paint) => {
    const item = list.appendChild(element("li"));
    paint(item.appendChild(element("span", className)));
    item.append(label);
  };
  for (const name of fixed.head.names) add(head.words[name], "swatch", (mark) => { mark.style.background = palette[name]; });
  const striped = (colour) => (mark) => { mark.style.background = `repeating-linear-gradient(-45deg, ${colour} 0 1.5px, transparent 1.5px 4px)`; mark.style.border = `1px solid ${colour}`; mark.style.boxSizing = "border-box"; };
  add("dropped", "swatch", striped(palette.dropped));
  if (refused) add("refused", "swatch", striped(palette.refused));
  if (fixed.head.events.length) add("change of the context (compaction and the like)", "diamond", (mark) => { mark.style.background = palette.summary; });
  for (const [kind, label] of lines) add(label, kind === "budget" ? "stroke" : "stroke dashed", (mark) => { mark.style.borderColor = kind === "budget" ? "currentColor" : palette[kind]; });
}
