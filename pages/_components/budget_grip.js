// The budget line's grip: dragged or moved by keys, it draws every budget at once; the server hears the last one.
// Behind budget_search.js. The chart gives top(root), the value at the upper edge, and draw(root).

function searchTables(root) {
  return keeper.blocks.get(root.live.head.search)?.columns;
}

// Puts the grip at the right end of the line; without tables only the server can tell what a budget does, and there is none.
function placeGrip(root, box, max) {
  const grip = root.querySelector(".grip"), { budget, unit } = root.live.head;
  grip.hidden = !searchTables(root);
  if (grip.hidden) return;
  const value = Math.min(budget ?? max, max);
  grip.style.top = `${box.top + box.height * (1 - value / max)}px`;
  grip.style.left = `${box.left + box.width}px`;
  root.gripBox = box;
  for (const [name, text] of Object.entries({ valuenow: budget ?? Math.round(max), valuemin: 100, valuemax: Math.round(max), valuetext: budget === null ? "no limit" : amount(budget, unit) }))
    grip.setAttribute("aria-" + name, text);
}

// The scale stays as it is, also behind the trial: the visitor has begun to choose.
function beginTrial(root) {
  root.near = root.querySelector(".near").getAttribute("aria-pressed") === "true";
  root.frozenTop ||= root.chart.top(root);
}

// Draws what the budget would do, without asking anybody.
function tryBudget(root, budget) {
  root.saved ||= root.live;
  const { head } = root.saved, lines = [{ kind: "budget", label: "Budget", value: budget }, ...head.lines.filter((line) => line.kind !== "budget")];
  const cut = cutsAt(budget, root.live.fixed().columns.before, searchTables(root));
  root.live = { ...root.saved, columns: { cut }, head: { ...head, budget, lines } };
  root.columns = null;
  root.chart.draw(root);
  tellTrial(root, budget, cut);
}

function tellTrial(root, budget, cut) {
  const { whole } = searchTables(root), { unit, n } = root.live.head;
  let trimmed = 0, refused = 0;
  for (let call = 0; call < n; call++) {
    if (cut[call] < 0) refused++;
    else if (cut[call] !== whole[call]) trimmed++;
  }
  const rows = [["calls trimmed", `${grouped(trimmed)} of ${grouped(n)}`, null], ["calls refused", grouped(refused), null]];
  const y = parseFloat(root.querySelector(".grip").style.top);
  showTip(root.tip, root.box, `Budget ${amount(budget, unit)}`, rows, root.gripBox.left + root.gripBox.width - 60, Math.max(0, Math.min(y - 90, root.live.head.height - 120)));
  root.querySelector(".live").textContent = `Budget ${amount(budget, unit)}: ${counted(trimmed, "call")} trimmed, ${grouped(refused)} refused.`;
}

function endTrial(root, keep) {
  if (!root.saved) return;
  const { budget } = root.live.head, before = root.saved.head.budget;
  if (!keep) root.live = root.saved;
  root.saved = root.frozenTop = null;
  root.tip.hidden = true;
  if (keep && budget !== before) root.live.sendBudget(budget);
  root.columns = null;
  root.chart.draw(root);
}

function bindGrip(root) {
  const grip = root.querySelector(".grip");
  let held = false, soon = 0;
  grip.onpointerdown = (event) => {
    if (event.button) return;
    event.preventDefault();
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    held = true;
    beginTrial(root);
  };
  grip.onpointermove = (event) => {
    if (!held) return;
    const box = root.gripBox, y = event.clientY - root.canvas.getBoundingClientRect().top;
    tryBudget(root, roundBudget(root.frozenTop * Math.min(1, Math.max(0, 1 - (y - box.top) / box.height))));
  };
  grip.onpointerup = () => { held = false; endTrial(root, true); };
  grip.onpointercancel = () => { held = false; endTrial(root, false); };
  grip.onkeydown = (event) => {
    const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
    event.stopPropagation(); // the arrow keys of the chart pick a call
    if (event.key === "Escape") { clearTimeout(soon); endTrial(root, false); }
    if (!steps) return;
    event.preventDefault();
    beginTrial(root);
    const now = root.live.head.budget ?? root.frozenTop;
    tryBudget(root, roundBudget(steps < 0 ? now - 1 : now, steps < 0 ? steps + 0.49 : steps));
    clearTimeout(soon);
    soon = setTimeout(() => endTrial(root, true), 350);
  };
}
