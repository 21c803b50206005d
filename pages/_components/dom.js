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

function themed(root) {
  const css = getComputedStyle(root);
  const get = (name, or) => { const v = css.getPropertyValue(name).trim(); return v && v !== "unset" ? v : or; };
  const back = get("--st-background-color", "#ffffff");
  return {
    back, text: get("--st-text-color", "#222222"), line: get("--st-border-color", "#cccccc"),
    accent: get("--st-primary-color", "#0b5cad"), font: get("--st-font", "sans-serif"), dark: isDark(back),
  };
}

const darkness = new Map();

function isDark(colour) {
  if (!darkness.has(colour)) {
    const probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    darkness.set(colour, r * 0.299 + g * 0.587 + b * 0.114 < 128);
  }
  return darkness.get(colour);
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
