// Shared by all canvas components, behind dom.js: bytes to columns, axes, tooltip, zoom.
// A component's default export runs again for every new value; what must survive hangs on the root element.

function unpack(bytes) {
  const u8 = new Uint8Array(bytes);
  const length = new DataView(u8.buffer, u8.byteOffset).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(u8.subarray(4, 4 + length)));
  const body = u8.slice(4 + length).buffer;
  const columns = {};
  let at = 0;
  for (const [name, count] of head.columns) {
    columns[name] = new Int32Array(body, at, count);
    at += 4 * count;
  }
  return { head, columns };
}

// Columns that a slider does not change are sent once, by another component, and found here.
const keeper = (globalThis.__ctxscopeColumns ||= { blocks: new Map(), waiting: new Map() });

function keep(key, block) {
  keeper.blocks.delete(key);
  keeper.blocks.set(key, block);
  while (keeper.blocks.size > 6) keeper.blocks.delete(keeper.blocks.keys().next().value);
  for (const redraw of keeper.waiting.values()) redraw(key);
}

function short(value) {
  const size = Math.abs(value);
  if (size >= 1e9) return +(value / 1e9).toPrecision(3) + "G";
  if (size >= 1e6) return +(value / 1e6).toPrecision(3) + "M";
  if (size >= 1e3) return +(value / 1e3).toPrecision(3) + "k";
  return String(Math.round(value));
}

function niceStep(span, count) {
  const raw = Math.max(span / Math.max(1, count), 1e-9);
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  return Math.max(1, (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power);
}

function ticks(low, high, count) {
  const step = niceStep(high - low, count);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}

function sizeCanvas(canvas, width, height) {
  const ratio = globalThis.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, ratio };
}

// The part of the x axis that is shown, as [x0, x1) in calls; it survives new data as long as their number is the same.
function viewOf(root, count) {
  if (!root.view || root.view.count !== count) root.view = { count, x0: 0, x1: count };
  return root.view;
}

function zoomView(view, centre, factor) {
  const span = Math.min(view.count, Math.max(Math.min(5, view.count), (view.x1 - view.x0) * factor));
  const share = (centre - view.x0) / (view.x1 - view.x0);
  placeView(view, centre - share * span, span);
}

function placeView(view, x0, span) {
  view.x0 = Math.min(Math.max(0, x0), view.count - span);
  view.x1 = view.x0 + span;
}

function revealInView(view, index) {
  const span = view.x1 - view.x0;
  if (index < view.x0 || index >= view.x1) placeView(view, index + 0.5 - span / 2, span);
}

// Numbers along a plot whose box is {left, top, width, height}, and what they count.
function drawAxes(context, box, theme, x, y) {
  context.font = `12px ${theme.font}`;
  context.fillStyle = theme.text;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillText(y.label, 2, box.top - 8);
  context.textAlign = "right";
  context.fillText(x.label, box.left + box.width, box.top + box.height + x.gap + 26);
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of ticks(0, y.max, Math.max(2, box.height / 60))) {
    const at = Math.round(box.top + box.height * (1 - value / y.max)) + 0.5;
    context.fillStyle = theme.text;
    context.fillText(short(value), box.left - 6, at);
  }
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const value of ticks(x.x0, x.x1 - 1, Math.max(2, box.width / 90))) {
    const at = box.left + ((value + 0.5 - x.x0) / (x.x1 - x.x0)) * box.width;
    context.fillStyle = theme.text;
    context.fillText("#" + grouped(value), Math.min(Math.max(at, box.left + 12), box.left + box.width - 12), box.top + box.height + x.gap);
  }
}

// A box that follows the pointer; rows are [label, value, colour or null].
function showTip(tip, host, title, rows, left, top) {
  tip.replaceChildren(element("div", "tip-title", title));
  for (const [label, value, colour] of rows) {
    const row = tip.appendChild(element("div", "tip-row"));
    const mark = row.appendChild(element("span", "tip-mark"));
    if (colour) mark.style.background = colour;
    row.append(element("span", "tip-label", label), element("span", "tip-value", value));
  }
  tip.hidden = false;
  const width = tip.offsetWidth, room = host.clientWidth;
  tip.style.left = `${left + 14 + width > room ? Math.max(0, left - width - 14) : left + 14}px`;
  tip.style.top = `${top}px`;
}

// Wheel zooms, a drag marks a range to zoom to, a double click shows all, a click picks. Handlers are replaced, never stacked.
function bindPointer(root, canvas, plot) {
  let start = null, moved = false;
  const place = (event) => event.clientX - canvas.getBoundingClientRect().left;
  canvas.onwheel = (event) => {
    if (!moved) return;
    const view = plot.view(), whole = view.x1 - view.x0 >= view.count;
    if (event.deltaY > 0 && whole) return;
    event.preventDefault();
    zoomView(view, plot.at(place(event)), event.deltaY > 0 ? 1.25 : 0.8);
    plot.redraw();
  };
  canvas.onpointerdown = (event) => {
    if (event.button || event.pointerType === "touch") return;
    start = place(event);
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    moved = moved || Boolean(event.movementX || event.movementY);
    if (start !== null && Math.abs(place(event) - start) > 4) plot.brush(start, place(event));
    else plot.hover(place(event), event.clientY - canvas.getBoundingClientRect().top);
  };
  canvas.onpointerup = (event) => {
    const from = start, to = place(event);
    start = null;
    if (from !== null && Math.abs(to - from) > 4) {
      const a = plot.at(Math.min(from, to)), b = plot.at(Math.max(from, to));
      placeView(plot.view(), a, Math.max(Math.min(5, plot.view().count), b - a));
      plot.brush(null);
      plot.redraw();
    }
  };
  canvas.onclick = (event) => { if (event.detail < 2) plot.pick(place(event)); };
  canvas.onpointerleave = () => { moved = false; plot.hover(null); };
  canvas.ondblclick = () => { placeView(plot.view(), 0, plot.view().count); plot.redraw(); };
}
