// A plot of calls along the x axis, behind dom.js, blocks.js and canvas.js: what part is shown, which call is picked, pointer and keys.
// A component's default export runs again for every new value; what must survive hangs on the root element.
//
// A chart gives: margin; draw(root); hover(root, x, y), x null where the pointer left; pick(root, call); announce(root); setUp(root), once; and
// ranks(root), two functions of a call: rank, by which one call stands for all in its pixel column, and isRefused.

function showPlot(root, chart, block, senders) {
  root.live = { ...block, fixed: () => keeper.blocks.get(block.head.key), ...senders };
  if (root.timer === undefined) setUpPlot(root, chart);
  const { picked } = block.head;
  if (!root.timer) root.cursor = { ...root.cursor, call: picked };
  if (root.lastPicked !== picked && root.view) revealInView(root.view, picked);
  root.lastPicked = picked;
  root.columns = null;
  keeper.waiting.set(root, (key) => { if (key === root.live.head.key || key === root.live.head.search) chart.draw(root); });
  chart.draw(root);
  return () => { root.observer.disconnect(); keeper.waiting.delete(root); };
}

function setUpPlot(root, chart) {
  root.timer = 0;
  root.chart = chart;
  root.cursor = {};
  root.box = root.querySelector(".box");
  root.canvas = root.querySelector("canvas");
  root.tip = root.querySelector(".tip");
  bindPointer(root);
  root.querySelector(".all").onclick = () => root.canvas.ondblclick();
  root.observer = new ResizeObserver(() => { if (root.box.clientWidth !== root.drawnWidth) chart.draw(root); });
  root.observer.observe(root.box);
  chart.setUp(root);
}

// What every drawing begins with: an empty canvas and the rectangle of the plot; null where nothing can be drawn yet.
function beginDrawing(root) {
  const fixed = root.live.fixed(), { head } = root.live, { margin } = root.chart, width = root.box.clientWidth, height = head.height;
  if (!fixed || !width) return null;
  const theme = themed(root), palette = head.palette[theme.dark ? "dark" : "light"];
  const box = { left: margin.left, top: margin.top, width: Math.max(10, Math.floor(width - margin.left - margin.right)), height: height - margin.top - margin.bottom };
  root.drawnWidth = width;
  root.plotWidth = box.width;
  root.canvas.style.height = `${height}px`;
  return { ...sizeCanvas(root.canvas, width, height), fixed, head, theme, palette, box, columns: columnsOf(root, box.width), view: viewOf(root) };
}

// The part of the x axis that is shown, as [x0, x1) in calls; it survives new data as long as their number is the same.
function viewOf(root) {
  const { n } = root.live.head;
  if (!root.view || root.view.count !== n) root.view = { count: n, x0: 0, x1: n };
  return root.view;
}

function zoomView(view, centre, factor) {
  const span = Math.min(view.count, Math.max(Math.min(5, view.count), (view.x1 - view.x0) * factor));
  const share = (centre - view.x0) / (view.x1 - view.x0);
  placeView(view, centre - share * span, span);
}

function placeView(view, x0, span) {
  view.x0 = Math.min(Math.max(0, x0), view.count - span);
  view.x1 = view.x0 + span;
}

function revealInView(view, index) {
  const span = view.x1 - view.x0;
  if (index < view.x0 || index >= view.x1) placeView(view, index + 0.5 - span / 2, span);
}

// Per pixel column (or per call, where there is room) the call of the highest rank, and whether one of its calls is refused.
function columnsOf(root, width) {
  const view = viewOf(root), tag = `${view.x0}:${view.x1}:${width}`;
  if (root.columns?.tag === tag) return root.columns;
  const { rank, isRefused } = root.chart.ranks(root);
  const span = view.x1 - view.x0, first = Math.floor(view.x0), last = Math.min(root.live.head.n, Math.ceil(view.x1));
  const found = { tag, call: [], left: [], right: [], refused: [] };
  const add = (call, left, right, refused) => { found.call.push(call); found.left.push(left); found.right.push(right); found.refused.push(refused); };
  if (span <= width) {
    const each = width / span, gap = each > 5 ? 1 : 0;
    for (let i = first; i < last; i++) add(i, Math.max(0, (i - view.x0) * each), Math.min(width, (i + 1 - view.x0) * each - gap), isRefused(i));
  } else {
    for (let x = 0; x < width; x++) {
      const a = Math.max(first, Math.floor(view.x0 + (x / width) * span)), b = Math.min(last, Math.max(a + 1, Math.floor(view.x0 + ((x + 1) / width) * span)));
      let best = a, most = rank(a), any = isRefused(a);
      for (let i = a + 1; i < b; i++) {
        any = any || isRefused(i);
        const value = rank(i);
        if (value > most) { best = i; most = value; }
      }
      add(best, x, x + 1, any);
    }
  }
  root.columns = found;
  return found;
}

// The call whose column is under the pointer, or -1.
function columnAt(root, x) {
  if (!root.live.fixed() || !root.plotWidth) return -1;
  const found = columnsOf(root, root.plotWidth), at = x - root.chart.margin.left;
  for (let k = 0; k < found.call.length; k++) if (at >= found.left[k] - 0.5 && at <= found.right[k] + 1) return found.call[k];
  return -1;
}

// Where the pointer stands on the x axis, in calls.
function callsAt(root, x) {
  const view = viewOf(root), { left, right } = root.chart.margin;
  return view.x0 + ((x - left) / Math.max(1, root.box.clientWidth - left - right)) * (view.x1 - view.x0);
}

// Tells the server which call is picked, after a pause in which another key may come.
function pickSoon(root, wait) {
  stopPicking(root);
  root.timer = setTimeout(() => { root.timer = 0; root.live.send(root.cursor.call); }, wait);
  root.chart.draw(root);
  root.chart.announce(root);
}

function stopPicking(root) {
  clearTimeout(root.timer);
  root.timer = 0;
}

// The keys of every plot: arrows and the like pick a call, + and - zoom, 0 shows all; false for any other.
function followKey(root, event) {
  const { n } = root.live.head, view = viewOf(root), { cursor } = root, step = event.shiftKey ? 10 : 1;
  const target = { ArrowLeft: cursor.call - step, ArrowRight: cursor.call + step, Home: 0, End: n - 1, PageUp: cursor.call - 50, PageDown: cursor.call + 50 }[event.key];
  if (target !== undefined) {
    cursor.call = Math.min(n - 1, Math.max(0, target));
    revealInView(view, cursor.call);
    pickSoon(root, 250);
  } else if (event.key === "+" || event.key === "-") {
    zoomView(view, cursor.call + 0.5, event.key === "+" ? 0.6 : 1.6);
    root.chart.draw(root);
  } else if (event.key === "0" || event.key === "Escape") {
    placeView(view, 0, n);
    root.chart.draw(root);
  } else if (event.key === "Enter") {
    pickSoon(root, 0);
  } else return false;
  return true;
}

// Wheel zooms, a drag marks a range to zoom to, a double click shows all, a click picks. Handlers are replaced, never stacked.
function bindPointer(root) {
  const { canvas, chart } = root;
  let start = null, moved = false, dragged = false;
  const place = (event) => event.clientX - canvas.getBoundingClientRect().left;
  canvas.onwheel = (event) => {
    if (!moved) return;
    const view = viewOf(root), whole = view.x1 - view.x0 >= view.count;
    if (event.deltaY > 0 && whole) return;
    event.preventDefault();
    zoomView(view, callsAt(root, place(event)), event.deltaY > 0 ? 1.25 : 0.8);
    chart.draw(root);
  };
  canvas.onpointerdown = (event) => {
    if (event.button || event.pointerType === "touch") return;
    start = place(event);
    dragged = false;
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    const x = place(event);
    moved = moved || Boolean(event.movementX || event.movementY);
    dragged = dragged || (start !== null && Math.abs(x - start) > 4);
    if (start === null || !dragged) { chart.hover(root, x, event.clientY - canvas.getBoundingClientRect().top); return; }
    root.marked = [start, x];
    chart.draw(root);
  };
  canvas.onpointerup = (event) => {
    const from = start, x = place(event), view = viewOf(root);
    start = root.marked = null;
    if (from === null || !dragged) return;
    if (Math.abs(x - from) > 4) {
      const a = callsAt(root, Math.min(from, x)), b = callsAt(root, Math.max(from, x));
      placeView(view, a, Math.max(Math.min(5, view.count), b - a));
    }
    chart.draw(root);
  };
  canvas.onclick = (event) => { // comes behind a drag as well
    const call = dragged || event.detail > 1 ? -1 : columnAt(root, place(event));
    if (call >= 0) chart.pick(root, call);
  };
  canvas.onpointerleave = () => { moved = false; chart.hover(root, null); };
  canvas.ondblclick = () => { const view = viewOf(root); placeView(view, 0, view.count); chart.draw(root); };
}

// The address follows what a chart shows, right behind the frame: a message from the server for it would cost as much time as the chart.
function followAddress(root, address) {
  root.address = address;
  const path = location.pathname;
  const write = () => {
    const asked = root.address === address && root.isConnected && path === location.pathname;
    if (asked && address !== location.search) history.replaceState(history.state, "", address);
  };
  if (address) requestAnimationFrame(() => setTimeout(write));
}
