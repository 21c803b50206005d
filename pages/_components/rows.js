
// A table of plain rows. Everything that comes from a session is written as text.
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".rows");
  root.send = { row: (place) => setTriggerValue("row", place), page: (start) => setTriggerValue("start", start) };
  const text = JSON.stringify(data);
  if (root.shown === text) return;
  root.shown = text;
  const frame = element("div", "frame"), scroll = frame.appendChild(element("div", "scroll")), table = scroll.appendChild(element("table"));
  if (!data.pick) scroll.tabIndex = 0;
  if (data.height) scroll.style.maxHeight = `${data.height}px`;
  const head = table.appendChild(element("thead")).appendChild(element("tr"));
  for (const column of data.columns) {
    const cell = head.appendChild(element("th", column.number ? "number" : column.right ? "right" : "", column.label));
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
  const below = foot(root, data), aside = below.appendChild(element("button", "aside"));
  aside.type = "button";
  aside.onclick = () => scroll.scrollBy({ left: Math.max(120, scroll.clientWidth * 0.7), behavior: "smooth" });
  scroll.onscroll = () => { root.at = [scroll.scrollLeft, scroll.scrollTop]; hint(frame, scroll, head, aside); };
  const at = root.at || [0, 0];
  root.replaceChildren(frame, below);
  [scroll.scrollLeft, scroll.scrollTop] = at;
  root.observer?.disconnect();
  root.observer = new ResizeObserver(() => hint(frame, scroll, head, aside));
  root.observer.observe(scroll);
}

// Says how many columns stand to the right of what is seen; a scroll bar alone is hidden on many systems.
function hint(frame, scroll, head, aside) {
  const right = scroll.scrollLeft + scroll.clientWidth;
  const hidden = [...head.children].filter((cell) => cell.offsetLeft + cell.offsetWidth > right + 2).length;
  frame.classList.toggle("more", hidden > 0);
  aside.hidden = hidden === 0;
  const words = `${counted(hidden, "more column")} →`;
  if (aside.textContent !== words) aside.textContent = words;
}

function line(root, data, row, place) {
  const node = element("tr", place === data.chosen ? "chosen" : "");
  data.columns.forEach((column, index) => {
    const value = row[index], shown = value === null ? "" : column.number ? grouped(value) : String(value);
    const cell = node.appendChild(element("td", column.number ? "number" : ["wide", "tail", "marked", "whole", "main", "right"].filter((kind) => column[kind]).join(" ")));
    if (!column.number) cell.title = shown;
    let host = cell;
    if (index === 0 && data.pick) {
      host = cell.appendChild(element("button", "pick"));
      host.type = "button";
      host.title = column.number ? data.pick : `${shown}\n${data.pick}`;
    }
    const text = written(element(column.tail ? "bdi" : "span"), shown, column.marked ? (Array.isArray(data.search) ? data.search[place] : data.search) : "");
    if (column.tail) text.dir = "ltr";
    host.append(text);
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
  if (data.note) box.append(element("span", "", data.note));
  return box;
}
