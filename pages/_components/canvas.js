// What all canvas charts draw alike, behind dom.js: numbers along the axes, stripes, marks, legend, tooltip.

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

// Numbers along a plot whose box is {left, top, width, height}: calls below, marks of {value, part} on the left, part 0 on top.
function drawAxes(context, box, theme, view, marks, label) {
  context.font = `12px ${theme.font}`;
  context.fillStyle = theme.text;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillText(label, 2, box.top - 8);
  context.textAlign = "right";
  context.fillText("call", box.left + box.width, box.top + box.height + 38);
  context.textBaseline = "middle";
  for (const { value, part } of marks) context.fillText(short(value), box.left - 6, Math.max(box.top + box.height * part, box.top + 4));
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const value of ticks(view.x0, view.x1 - 1, Math.max(2, box.width / 90))) {
    const at = box.left + ((value + 0.5 - view.x0) / (view.x1 - view.x0)) * box.width;
    context.fillText("#" + grouped(value), Math.min(Math.max(at, box.left + 12), box.left + box.width - 12), box.top + box.height + 12);
  }
}

// A picture of the plot, written pixel by pixel: without a graphics card that is several times faster than paths and patterns.
// It comes with a line at each mark; show() puts it into the plot.
function picture(root, context, ratio, box, theme, marks) {
  const wide = Math.round(box.width * ratio), high = Math.round(box.height * ratio);
  if (root.image?.width !== wide || root.image.height !== high) root.image = context.createImageData(wide, high);
  const pixels = new Uint32Array(root.image.data.buffer);
  pixels.fill(0);
  for (const { part } of marks) {
    const y = Math.min(high - 1, Math.round(high * part));
    if (y >= 0) pixels.fill(rgba(theme.line, 140), y * wide, (y + 1) * wide);
  }
  const show = () => context.putImageData(root.image, Math.round(box.left * ratio), Math.round(box.top * ratio));
  return { pixels, wide, high, gap: Math.round(6 * ratio), stroke: Math.max(1, Math.round(1.3 * ratio)), show };
}

// A colour as one little-endian number.
function rgba(colour, alpha) {
  const [r, g, b] = rgb(colour);
  return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

// A hatch's line and what is between its lines.
function hatch(colour) {
  return [rgba(colour, 255), rgba(colour, 34)];
}

// Under the axis: where nothing is sent.
function drawRefused(context, columns, box, palette) {
  context.fillStyle = palette.refused;
  for (let k = 0; k < columns.call.length; k++) {
    if (columns.refused[k]) context.fillRect(box.left + columns.left[k], box.top + box.height + 2, Math.max(1, columns.right[k] - columns.left[k]), 6);
  }
}

// The picked call; gives where its column stands, or null where it is not shown.
function drawPicked(context, call, view, box, theme) {
  if (call < view.x0 - 1 || call > view.x1) return null;
  const each = box.width / (view.x1 - view.x0), left = box.left + (call - view.x0) * each, wide = Math.max(2, each), middle = left + wide / 2;
  context.strokeStyle = theme.text;
  context.lineWidth = 2;
  context.strokeRect(left - 1, box.top, wide + 1, box.height + 9);
  context.fillStyle = theme.text;
  context.beginPath();
  context.moveTo(middle - 6, box.top - 11);
  context.lineTo(middle + 6, box.top - 11);
  context.lineTo(middle, box.top - 2);
  context.fill();
  return { left, wide };
}

// The range that a drag marks.
function drawMarked(context, marked, box, theme) {
  if (!marked) return;
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.18;
  context.fillRect(Math.min(...marked), box.top, Math.abs(marked[1] - marked[0]), box.height);
  context.globalAlpha = 1;
}

// Writes the legend anew where it changed; entries are [words, class of the mark, paint(mark)].
function drawLegend(root, entries, tag) {
  if (root.legendTag === tag) return;
  root.legendTag = tag;
  root.querySelector(".legend").replaceChildren(...entries.map(([words, className, paint]) => {
    const item = element("li");
    paint(item.appendChild(element("span", className)));
    item.append(words);
    return item;
  }));
}

function filled(colour, opacity = 1) {
  return (mark) => { mark.style.background = colour; mark.style.opacity = opacity; };
}

function striped(colour) {
  return (mark) => {
    mark.style.background = `repeating-linear-gradient(-45deg, ${colour} 0 1.5px, transparent 1.5px 4px)`;
    mark.style.border = `1px solid ${colour}`;
    mark.style.boxSizing = "border-box";
  };
}

function ruled(colour) {
  return (mark) => { mark.style.borderColor = colour; };
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
