import { concatHex, type Hex, keccak256, toHex, toRlp } from 'viem';

/** What `toRlp` takes: bytes, or lists of it. */
type Rlp = Hex | readonly Rlp[];
type Entry = { readonly path: readonly number[]; readonly value: Hex };

/**
 * The root of the Merkle Patricia trie in which a block commits to a list, such as its receipts. Keys are the RLP of
 * the positions (Yellow Paper 4.3 and appendix D).
 */
export function orderedTrieRoot(values: readonly Hex[]): Hex {
  const entries = values.map((value, index) => ({
    path: nibblesOf(toRlp(index === 0 ? '0x' : toHex(index))),
    value,
  }));
  return keccak256(toRlp(nodeOf(entries, 0)));
}

function nodeOf(entries: readonly Entry[], depth: number): Rlp {
  const [first, ...others] = entries;
  if (first === undefined) return '0x';
  if (others.length === 0) return [packed(first.path.slice(depth), true), first.value];
  const shared = sharedLength(entries, depth);
  if (shared > 0) {
    const path = packed(first.path.slice(depth, depth + shared), false);
    return [path, referenceTo(nodeOf(entries, depth + shared))];
  }
  const branches = Array.from({ length: 16 }, (_, nibble): Rlp => {
    const below = entries.filter(({ path }) => path[depth] === nibble);
    return below.length === 0 ? '0x' : referenceTo(nodeOf(below, depth + 1));
  });
  const ended = entries.find(({ path }) => path.length === depth);
  return [...branches, ended?.value ?? '0x'];
}

function sharedLength([first, ...others]: readonly Entry[], depth: number): number {
  let length = 0;
  while (first?.path[depth + length] !== undefined) {
    const nibble = first.path[depth + length];
    if (others.some(({ path }) => path[depth + length] !== nibble)) break;
    length++;
  }
  return length;
}

/** Nodes of less than 32 bytes are put into their parent as they are. */
function referenceTo(node: Rlp): Rlp {
  const encoded = toRlp(node as Hex);
  return encoded.length < 2 + 2 * 32 ? node : keccak256(encoded);
}

function nibblesOf(bytes: Hex): number[] {
  return Array.from(bytes.slice(2), (digit) => Number.parseInt(digit, 16));
}

/** A path with its kind (leaf or not) and its parity in front. */
function packed(path: readonly number[], isLeaf: boolean): Hex {
  const isOdd = path.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const digits = path.map((nibble) => nibble.toString(16)).join('');
  return concatHex([`0x${flag.toString(16)}${isOdd ? '' : '0'}${digits}`]);
}
