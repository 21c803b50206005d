// Notes when something was drawn or received, and the frame after it. Runs in the page before anything else.
(() => {
  const seen = (window.benchmark = { input: 0, drawn: [], framed: [], received: [] });
  let waiting = false;
  const note = () => {
    seen.drawn.push(performance.now());
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      const after = new MessageChannel(); // its message comes when the frame is out
      after.port1.onmessage = () => { waiting = false; seen.framed.push(performance.now()); };
      after.port2.postMessage(0);
    });
  };
  const brush = CanvasRenderingContext2D.prototype;
  for (const name of ["clearRect", "fill", "fillRect", "stroke", "drawImage", "putImageData", "fillText"]) {
    const original = brush[name];
    brush[name] = function (...values) { note(); return original.apply(this, values); };
  }
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...values) {
      super(...values);
      this.addEventListener("message", () => seen.received.push(performance.now()));
    }
  };
  const begin = () => {
    seen.input = performance.now();
    seen.drawn.length = seen.framed.length = seen.received.length = 0;
  };
  for (const what of ["keydown", "pointerdown"]) addEventListener(what, begin, true);
  const counts = (change) => {
    const place = change.target.nodeType === 1 ? change.target : change.target.parentElement;
    if (!place || !place.closest('[data-testid="stMain"]') || place.closest('[data-testid="stSlider"]')) return false;
    return !(change.type === "attributes" && /^(data-|class|aria-|style)/.test(change.attributeName)); // marks of a running script
  };
  addEventListener("DOMContentLoaded", () =>
    new MutationObserver((changes) => { if (changes.some(counts)) note(); }).observe(document.body, {
      subtree: true, childList: true, attributes: true, characterData: true,
    }));
  window.quietFor = (ms) => {
    const last = Math.max(seen.drawn.at(-1) ?? 0, seen.received.at(-1) ?? 0);
    return last > 0 && performance.now() - last > ms;
  };
  // From the last key or press of the pointer, or else from the begin of the visit.
  window.inputToFrame = () => (seen.framed.at(-1) ?? seen.drawn.at(-1) ?? seen.received.at(-1)) - seen.input;
})();
