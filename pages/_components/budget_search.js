// The cuts of a budget, found here while a hand still moves it: the same look-ups in the same tables as the core's.

// The first place from `from` on whose gain is at least what is needed; `to` where none is. Gains ascend.
function firstEnough(gains, need, from, to) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (gains[middle] >= need) to = middle;
    else from = middle + 1;
  }
  return from;
}

// Per call the row of the first unit that stays, -1 where no cut is enough.
function cutsAt(budget, before, tables) {
  const { turn_gain, turn_cut, turn_from, turn_to, unit_gain, unit_cut, unit_from, unit_to, whole } = tables;
  const cuts = new Int32Array(before.length);
  for (let call = 0; call < before.length; call++) {
    const need = before[call] - budget;
    if (need <= 0) { cuts[call] = whole[call]; continue; }
    const turn = firstEnough(turn_gain, need, turn_from[call], turn_to[call]);
    if (turn < turn_to[call]) { cuts[call] = turn_cut[turn]; continue; }
    const unit = firstEnough(unit_gain, need, unit_from[call], unit_to[call]);
    cuts[call] = unit < unit_to[call] ? unit_cut[unit] : -1;
  }
  return cuts;
}

// A budget as the slider has it: two significant digits, at least 100.
function roundBudget(value, up = 0) {
  const step = 10 ** Math.max(1, Math.floor(Math.log10(Math.max(value, 1))) - 1);
  return Math.max(100, Math.round(value / step + up) * step);
}
