
export default function ({ data }) {
  const block = unpack(data);
  keep(block.head.key, block);
}
