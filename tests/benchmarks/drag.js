async (grip) => {
  const box = grip.parentElement.getBoundingClientRect(), times = [];
  const at = (name, y) => new PointerEvent(name, { pointerId: 1, clientX: box.right - 14, clientY: y, bubbles: true });
  const shown = () => new Promise((done) => requestAnimationFrame(() => {
    const after = new MessageChannel(); // its message comes when the frame is out
    after.port1.onmessage = done;
    after.port2.postMessage(0);
  }));
  grip.setPointerCapture = () => {};
  grip.dispatchEvent(at("pointerdown", box.bottom - 60));
  for (let move = 0; move < 40; move++) {
    const start = performance.now();
    grip.dispatchEvent(at("pointermove", box.bottom - 60 - 5 * move));
    await shown();
    times.push(performance.now() - start);
  }
  grip.dispatchEvent(at("pointerup", box.top));
  return times;
}
