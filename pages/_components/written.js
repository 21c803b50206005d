// Text of a session written into an element, behind dom.js: as text, with controls in small boxes and a searched text marked.

const CONTROLS = "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US SP DEL".split(" ");

// Pictures of control characters are missing in many fonts: their names stand in small boxes instead.
function written(node, text, search = "") {
  if (search) return marked(node, text, search);
  const pieces = text.split(/([\u2400-\u2421])/);
  if (pieces.length > 4000) { node.append(text); return node; }
  for (let k = 0; k < pieces.length; k++) {
    if (k % 2) node.append(element("span", "control", CONTROLS[pieces[k].charCodeAt(0) - 0x2400]));
    else if (pieces[k]) node.append(pieces[k]);
  }
  return node;
}

const MARKED = 500;

// The text with every place that holds the searched one marked; letters whose other case has another length are compared as they stand.
function marked(node, text, search) {
  const same = text.toLowerCase().length === text.length;
  const inside = same ? text.toLowerCase() : text, wanted = same ? search.toLowerCase() : search;
  let from = 0;
  for (let n = 0, at; n < MARKED && (at = inside.indexOf(wanted, from)) >= 0; n++) {
    written(node, text.slice(from, at));
    node.append(element("mark", "", text.slice(at, at + wanted.length)));
    from = at + wanted.length;
  }
  return written(node, text.slice(from));
}
