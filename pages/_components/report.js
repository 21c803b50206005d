
// Facts and tables of parts with bars. Everything that comes from a session is written as text.
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".report"), dark = themed(root).dark;
  const palette = data.palette[dark ? "dark" : "light"];
  const grid = root.querySelector(".tables");
  const list = data.facts.length ? [["facts", data.facts]] : [];
  refresh(root, root.querySelector(".known"), list, facts);
  refresh(grid, grid, data.tables.map((table) => [table.title, table]), (table) => tableOf(table, palette), dark);
}

const LONG = 70;

// A value of more letters than that has a line of its own.
function facts(list) {
  const box = element("dl", "facts");
  for (const { name, value, basis } of list) {
    const item = box.appendChild(element("div", value.length > LONG ? "fact long" : "fact"));
    item.append(element("dt", "", name));
    const text = item.appendChild(element("dd", "", value));
    if (basis) text.append(element("span", `basis ${basis}`, basis));
  }
  return box;
}

function tableOf({ title, note, columns, rows, total }, palette) {
  const box = element("section", "part");
  box.append(element("h3", "", title));
  if (note) box.append(element("p", "note", note));
  if (!rows.length) { box.append(element("p", "note", "None.")); return box; }
  const table = element("table");
  const head = table.appendChild(element("thead")).appendChild(element("tr"));
  columns.forEach((name) => { const cell = head.appendChild(element("th", "", name)); cell.scope = "col"; });
  const most = Math.max(1, ...rows.map((row) => row.before));
  const body = table.appendChild(element("tbody"));
  for (const row of rows) {
    const line = body.appendChild(element("tr"));
    const name = line.appendChild(element("th", "name"));
    name.scope = "row";
    name.title = row.full || row.name;
    name.append(element("span", "label", row.name));
    const bar = name.appendChild(element("span", "track"));
    const whole = bar.appendChild(element("span", "whole")), kept = bar.appendChild(element("span", "kept"));
    const colour = palette[row.colour] || palette.other;
    whole.style.width = `${(100 * row.before) / most}%`;
    whole.style.background = `repeating-linear-gradient(-45deg, ${palette.dropped} 0 1.2px, transparent 1.2px 4px)`;
    kept.style.width = `${(100 * Math.max(row.after ?? row.before, row.before ? 0 : 1)) / most}%`;
    kept.style.background = colour;
    for (const value of row.cells) line.append(element("td", "", value));
  }
  if (total) {
    const line = table.appendChild(element("tfoot")).appendChild(element("tr"));
    const name = line.appendChild(element("th", "name", total.name));
    name.scope = "row";
    for (const value of total.cells) line.append(element("td", "", value));
  }
  const scroll = box.appendChild(element("div", "scroll"));
  scroll.tabIndex = 0;
  scroll.append(table);
  return box;
}
