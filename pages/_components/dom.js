// Shared by all components: elements with plain text, numbers, the page's colours.
// Text of a session only ever gets into the page through element(): as text.

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function grouped(value) {
  return Math.round(value).toLocaleString("en-US");
}

function counted(value, one, many = one + "s") {
  return `${grouped(value)} ${Math.round(value) === 1 ? one : many}`;
}

// A size with its unit of measure, which is named for many: 16,000 chars, 1 char.
function amount(value, unit) {
  return counted(value, unit.replace(/s$/, ""), unit);
}

function themed(root) {
  const css = getComputedStyle(root);
  const get = (name, or) => { const v = css.getPropertyValue(name).trim(); return v && v !== "unset" ? v : or; };
  const back = get("--st-background-color", "#ffffff");
  return {
    back, text: get("--st-text-color", "#222222"), line: get("--st-border-color", "#cccccc"),
    accent: get("--st-primary-color", "#0b5cad"), font: get("--st-font", "sans-serif"), dark: isDark(back),
  };
}

const parsed = new Map();

// Red, green and blue of a colour, 0 to 255.
function rgb(colour) {
  if (!parsed.has(colour)) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    parsed.set(colour, pen.getImageData(0, 0, 1, 1).data);
  }
  return parsed.get(colour);
}

function isDark(colour) {
  const [r, g, b] = rgb(colour);
  return r * 0.299 + g * 0.587 + b * 0.114 < 128;
}

// Draws again only what changed since the last time: make(value) gives the node of a value, equal values keep theirs.
function refresh(root, parent, values, make, common = "") {
  const before = root.drawn || new Map(), now = new Map(), nodes = [];
  for (const [key, value] of values) {
    const tag = common + JSON.stringify(value), known = before.get(key);
    const entry = known && known.tag === tag ? known : { tag, node: make(value) };
    now.set(key, entry);
    nodes.push(entry.node);
  }
  root.drawn = now;
  nodes.forEach((node, place) => { if (parent.children[place] !== node) parent.insertBefore(node, parent.children[place] || null); });
  while (parent.children.length > nodes.length) parent.lastChild.remove();
}
