
// A table of plain rows. Everything that comes from a session is written as text.
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".rows");
  root.send = { row: (place) => setTriggerValue("row", place), page: (start) => setTriggerValue("start", start) };
  const text = JSON.stringify(data);
  if (root.shown === text) return;
  root.shown = text;
  const scroll = element("div", "scroll"), table = scroll.appendChild(element("table"));
  if (data.height) scroll.style.maxHeight = `${data.height}px`;
  const head = table.appendChild(element("thead")).appendChild(element("tr"));
  for (const column of data.columns) {
    const cell = head.appendChild(element("th", column.number ? "number" : "", column.label));
    cell.scope = "col";
    if (column.help) cell.title = column.help;
  }
  const body = table.appendChild(element("tbody"));
  data.rows.forEach((row, place) => body.append(line(root, data, row, place)));
  body.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], here = event.target.closest("tr");
    const next = step && here && (step > 0 ? here.nextElementSibling : here.previousElementSibling);
    if (next) { event.preventDefault(); next.querySelector("button")?.focus(); }
  };
  const parts = [scroll];
  if (data.note) parts.push(foot(root, data));
  root.replaceChildren(...parts);
}

function line(root, data, row, place) {
  const node = element("tr", place === data.chosen ? "chosen" : "");
  data.columns.forEach((column, index) => {
    const value = row[index], shown = value === null ? "" : column.number ? grouped(value) : String(value);
    const cell = node.appendChild(element("td", column.number ? "number" : column.wide ? "wide" : ""));
    if (column.wide) cell.title = shown;
    if (index === 0 && data.pick) {
      const button = cell.appendChild(element("button", "pick", shown));
      button.type = "button";
      button.title = data.pick;
    } else cell.textContent = shown;
  });
  if (data.pick) node.onclick = () => { if (!String(getSelection())) root.send.row(place); };
  return node;
}

function foot(root, data) {
  const box = element("div", "foot");
  if (data.total > data.size) {
    const turn = (label, start, off) => {
      const button = box.appendChild(element("button", "", label));
      button.type = "button";
      button.disabled = off;
      button.onclick = () => root.send.page(start);
    };
    turn("Previous", data.start - data.size, data.start === 0);
    turn("Next", data.start + data.size, data.start + data.size >= data.total);
  }
  box.append(element("span", "", data.note));
  return box;
}
