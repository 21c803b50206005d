
const SIGNS = { kept: "✓", distilled: "≈", dropped: "✕", unfound: "?" };

// Original and result side by side. Everything that comes from a session is written as text.
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".beside"), hues = data.hues[themed(root).dark ? "dark" : "light"];
  root.send = (place) => setTriggerValue("row", place);
  const text = JSON.stringify([data, hues]);
  if (root.shown === text) return;
  root.shown = text;
  const list = element("div", "list"), head = list.appendChild(element("div", "head"));
  list.style.maxHeight = `${data.height}px`;
  list.tabIndex = 0;
  list.setAttribute("role", "region");
  list.setAttribute("aria-label", "Original beside result");
  for (const word of ["Became", "Original", "Result"]) head.append(element("div", "", word));
  data.rows.forEach((row, place) => list.append(piece(root, row, place, hues[row.fate])));
  root.replaceChildren(list);
}

function piece(root, row, place, hue) {
  const node = element("div", `piece ${row.fate}`);
  node.style.setProperty("--hue", hue);
  const mark = node.appendChild(element("div", "mark"));
  mark.append(element("div", "fate", `${SIGNS[row.fate]} ${row.word}`), element("div", "kind", row.kind));
  const left = node.appendChild(element("div")), original = left.appendChild(element("div", "text"));
  original.append(element("span", "label", "Original"));
  if (!row.original.length) original.append(element("span", "none", "—"));
  for (const [words, exact] of row.original) original.append(written(element("span", exact ? "exact" : "near"), words));
  if (row.message >= 0) {
    const open = left.appendChild(element("button", "", `Open in message ${grouped(row.message)} →`));
    open.onclick = () => root.send(place);
  }
  const right = node.appendChild(element("div")), result = right.appendChild(element("div", "text"));
  result.append(element("span", "label", "Result"));
  result.append(row.result ? written(element("span"), row.result) : element("span", "none", "nothing"));
  right.append(element("div", "why", row.why));
  return node;
}
