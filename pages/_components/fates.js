// What became of the units of a call, behind blocks.js: ranges of places in the call's epoch, states, counts.

// Dropped ranges of a call, as pairs [from, to). A policy that drops a prefix sends its end alone ("cut", -1 for a refused call).
function rangesOf(root, call) {
  const { cut, ends, ranges } = root.live.columns;
  if (cut) return cut[call] > 0 ? [0, cut[call]] : [];
  return ranges.subarray(2 * (call ? ends[call - 1] : 0), 2 * ends[call]);
}

function isRefused(root, call) {
  const { cut, refused } = root.live.columns;
  return cut ? cut[call] < 0 : refused[call] > 0;
}

// How far back a call drops: the end of its last range.
function reach(root, call) {
  const { cut, ends, ranges } = root.live.columns;
  if (cut) return Math.max(0, cut[call]);
  return ends[call] > (call ? ends[call - 1] : 0) ? ranges[2 * ends[call] - 1] : 0;
}

function unitOf(one, place) {
  const runs = one.runs;
  let a = 0, b = runs.length - 1;
  while (a < b) { const m = (a + b + 1) >> 1; if (runs[m][0] <= place) a = m; else b = m - 1; }
  return runs[a][1] + place - runs[a][0];
}

function placeOf(one, unit) {
  for (const [place, first, length] of one.runs) if (unit >= first && unit < first + length) return place + unit - first;
  return -1;
}

function isDropped(root, call, place) {
  const ranges = rangesOf(root, call);
  for (let r = 0; r < ranges.length; r += 2) if (place >= ranges[r] && place < ranges[r + 1]) return true;
  return false;
}

function isPinned(fixed, call, place) {
  const { task, newest, epoch } = fixed.columns;
  return place === task[call] || place === newest[call] || fixed.head.epochs[epoch[call]].pinned.includes(place);
}

function stateOf(root, fixed, call, place) {
  if (isRefused(root, call)) return "refused";
  if (isPinned(fixed, call, place)) return "pinned";
  return isDropped(root, call, place) ? "dropped" : "kept";
}

function countsOf(root, fixed, call) {
  const { seen, task, newest, epoch } = fixed.columns, all = seen[call];
  const ranges = rangesOf(root, call);
  const held = new Set([...fixed.head.epochs[epoch[call]].pinned, task[call], newest[call]].filter((place) => place >= 0 && place < all));
  if (isRefused(root, call)) return { refused: all };
  let dropped = 0;
  for (let r = 0; r < ranges.length; r += 2) {
    dropped += Math.min(all, ranges[r + 1]) - ranges[r];
    for (const place of held) if (place >= ranges[r] && place < ranges[r + 1]) dropped -= 1;
  }
  return { kept: all - dropped - held.size, pinned: held.size, dropped };
}
