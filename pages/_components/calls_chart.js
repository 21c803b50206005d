
const CHART = {
  margin: { left: 52, right: 14, top: 22, bottom: 46 },
  draw, hover, announce, top: (root) => top(root, columnsOf(root, root.plotWidth), root.live.fixed().columns.before),
  pick: (root, call) => { root.cursor.call = call; pickSoon(root, 0); },
  ranks: (root) => {
    const { before } = root.live.fixed().columns, { cut, after } = root.live.columns;
    return { rank: (call) => before[call], isRefused: (call) => (cut ?? after)[call] < 0 };
  },
  setUp: (root) => {
    root.box.onkeydown = (event) => { if (root.live.fixed() && followKey(root, event)) event.preventDefault(); };
    bindGrip(root);
    root.querySelector(".near").onclick = () => { root.near = !isNear(root); draw(root); };
  },
};

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".chart"), block = unpack(data);
  followAddress(root, block.head.address);
  root.saved = null;
  return showPlot(root, CHART, block, {
    send: (index) => setTriggerValue("picked", index),
    sendBudget: (budget) => setTriggerValue("budget", budget),
  });
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

function draw(root) {
  const frame = beginDrawing(root);
  if (!frame) return;
  const { context, fixed, head, theme, palette, box, columns, view } = frame, { before } = fixed.columns;
  root.read = readings(fixed, root.live.columns, head.notice);
  const max = top(root, columns, before), marks = ticks(0, max, Math.max(2, box.height / 60)).map((value) => ({ value, part: 1 - value / max }));
  drawAxes(context, box, theme, view, marks, head.unit);
  drawStacks(root, frame, marks, max);
  drawClipped(context, columns, before, box, theme, max);
  drawRefused(context, columns, box, palette);
  drawEvents(root, context, fixed.head.events, box, palette);
  for (const line of head.lines) drawLine(context, line, box, max, palette, theme);
  drawPicked(context, root.cursor.call, view, box, theme);
  drawMarked(context, root.marked, box, theme);
  legend(root, fixed, palette, max);
  placeGrip(root, box, max);
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
  if (root.frozenTop) return root.frozenTop; // a scale that moves under the hand is no scale
  let most = 1;
  for (const call of columns.call) if (before[call] > most) most = before[call];
  const budget = root.live.head.budget, near = isNear(root);
  root.querySelector(".near").setAttribute("aria-pressed", String(near));
  if (near) return Math.min(most * 1.04, budget * 1.6);
  return (budget && budget < most * 1.3 ? Math.max(most, budget) : most) * 1.04;
}

// The bars: what is sent by category, and above it hatched what is not.
function drawStacks(root, { context, ratio, fixed, theme, palette, box, columns }, marks, max) {
  const { pixels, wide, high, gap, stroke, show } = picture(root, context, ratio, box, theme, marks), { read } = root;
  const names = fixed.head.names, colours = names.map((name) => rgba(palette[name], 255)), before = fixed.columns.before;
  const scale = high / max, dropped = hatch(palette.dropped), refused = hatch(palette.refused);
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
  show();
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
  const view = viewOf(root);
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

function rowsOf(root, call, palette) {
  const fixed = root.live.fixed(), { head } = root.live, after = root.read.after(call), before = fixed.columns.before[call];
  const rows = [["before", amount(before, head.unit), null]];
  rows.push(after < 0 ? ["after", "refused", palette.refused] : ["after", amount(after, head.unit), null]);
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
  const under = y > root.live.head.height - CHART.margin.bottom, near = (one) => Math.abs(eventAt(root, one, root.plotWidth) - (x - CHART.margin.left)) <= 7;
  const events = eventRows(root, palette, (one) => one === call || (under && near(one)));
  showTip(root.tip, root.box, `Call #${grouped(call)}`, [...rowsOf(root, call, palette), ...events], x, Math.max(0, Math.min(y - 20, root.live.head.height - 160)));
}

function announce(root) {
  const fixed = root.live.fixed();
  if (!fixed) return;
  const { head } = root.live, { call } = root.cursor, after = root.read.after(call);
  root.querySelector(".live").textContent =
    `Call ${call} of ${head.n}: before ${amount(fixed.columns.before[call], head.unit)}, ` + (after < 0 ? "refused." : `after ${amount(after, head.unit)}.`) +
    eventRows(root, {}, (one) => one === call).map(([text]) => ` ${text}`).join("");
}

function legend(root, fixed, palette, max) {
  const { head, columns: now } = root.live, { names, events } = fixed.head;
  const refused = (now.cut ?? now.after).some((value) => value < 0);
  const lines = head.lines.map((line) => [line.kind, line.value > max ? `${line.label} ${grouped(line.value)} (above the chart)` : line.label]);
  const entries = names.map((name) => [head.words[name], "swatch", filled(palette[name])]);
  entries.push(["dropped", "swatch", striped(palette.dropped)]);
  if (refused) entries.push(["refused", "swatch", striped(palette.refused)]);
  if (events.length) entries.push(["change of the context (compaction and the like)", "diamond", filled(palette.summary)]);
  for (const [kind, label] of lines) entries.push([label, kind === "budget" ? "stroke" : "stroke dashed", ruled(kind === "budget" ? "currentColor" : palette[kind])]);
  drawLegend(root, entries, JSON.stringify([names, events.length > 0, refused, lines, palette.tools]));
}
