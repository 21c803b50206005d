// Two requests, line by line. Text of the session is written as text.
const CHANGES = { same: "= unchanged", gone: "− gone", new: "+ new", moved: "↕ moved", shortened: "▾ shortened", grown: "▴ grown" };

export default function ({ data, parentElement }) {
  const list = parentElement.querySelector(".list"), dark = themed(list).dark, palette = data.palette[dark ? "dark" : "light"];
  const values = data.rows.map((row, place) => [place, row]);
  if (!values.length) values.push(["empty", null]);
  refresh(list, list, values, (row) => (row ? lineOf(row, data.unit, palette) : element("li", "empty", "No message.")), `${dark}${data.unit}`);
}

function lineOf(row, unit, palette) {
  const item = element("li", `item ${row.change}${row.role ? "" : " fold"}`);
  item.style.setProperty("--edge", palette[row.category] || palette.other);
  const head = item.appendChild(element("div", "head"));
  head.append(element("span", "places", [row.before, row.after].map((place) => place || "·").join(" → ")), element("span", "chip", CHANGES[row.change]));
  if (!row.role) {
    head.append(element("span", "", counted(row.count, "message")), element("span", "size", amount(row.new_size, unit)));
    return item;
  }
  head.append(element("span", "role", row.role));
  if (row.what) { const what = head.appendChild(element("span", "what", row.what)); what.title = row.what; }
  head.append(element("span", "size", sizes(row, unit)));
  if (row.preview) item.append(element("div", "text", row.preview));
  return item;
}

// What the line is in each request: one size, or both where they differ.
function sizes({ old_size: old, new_size: now }, unit) {
  if (old === null || now === null || old === now) return amount(now ?? old, unit);
  return `${grouped(old)} → ${amount(now, unit)}`;
}
