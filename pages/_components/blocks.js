// Bytes to columns, each in the smallest type that holds it.
const COLUMN_TYPES = { u1: Uint8Array, i1: Int8Array, u2: Uint16Array, i2: Int16Array, i4: Int32Array };

function unpack(bytes) {
  const u8 = new Uint8Array(bytes);
  const length = new DataView(u8.buffer, u8.byteOffset).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(u8.subarray(4, 4 + length)));
  const body = u8.slice(4 + length).buffer;
  const columns = {};
  let at = 0;
  for (const [name, count, type] of head.columns) {
    columns[name] = new COLUMN_TYPES[type](body, at, count);
    at += (columns[name].byteLength + 3) & ~3;
  }
  return { head, columns };
}

// Columns that a slider does not change are sent once, by another component, and found here.
const MOST_BLOCKS = 12;
const keeper = (globalThis.__ctxscopeColumns ||= { blocks: new Map(), waiting: new Map() });

// A block that is here already changes nothing; one that a chart on the page draws from stays.
function keep(key, block) {
  const { blocks, waiting } = keeper, tag = JSON.stringify(block.head);
  if (blocks.get(key)?.tag === tag) return;
  blocks.set(key, { ...block, tag });
  const drawn = new Set([...waiting.keys()].flatMap(({ live: { head } }) => [head.key, head.search]));
  for (const old of [...blocks.keys()].filter((one) => one !== key && !drawn.has(one)).slice(0, Math.max(0, blocks.size - MOST_BLOCKS))) blocks.delete(old);
  for (const redraw of waiting.values()) redraw(key);
}
