import { createAddressHash } from './addressHash.ts';

/** Addresses, kept in 16 bytes each: there can be a million of them. */
export type AddressSet = {
  add(address: string): void;
  /**
   * Whether an address was added. Only its last eight bytes are compared. So in theory another address can be taken
   * for one that was added.
   */
  has(address: string): boolean;
  size(): number;
};

/** The share of the table that may be in use: with more of it, addresses are looked for long. */
const MOST_USED = 0.5;
const FIRST_SLOTS = 1024;

/** Makes an empty set: a table with open addressing, two 32-bit words for each address. */
export function createAddressSet(): AddressSet {
  let words = new Uint32Array(2 * FIRST_SLOTS);
  let used = 0;
  const hashOf = createAddressHash();

  /** The place of an address in a table, or the free place where it belongs. */
  function placeOf(table: Uint32Array, high: number, low: number): number {
    const slots = table.length / 2;
    let slot = hashOf(high, low);
    for (;;) {
      const at = 2 * (slot % slots);
      const isFree = table[at] === 0 && table[at + 1] === 0;
      if (isFree || (table[at] === high && table[at + 1] === low)) return at;
      slot += 1;
    }
  }

  function insert(table: Uint32Array, high: number, low: number): boolean {
    const at = placeOf(table, high, low);
    const isNew = table[at] === 0 && table[at + 1] === 0;
    table[at] = high;
    table[at + 1] = low;
    return isNew;
  }

  function grow(): void {
    const larger = new Uint32Array(2 * words.length);
    for (let at = 0; at < words.length; at += 2) {
      const [high = 0, low = 0] = [words[at], words[at + 1]];
      if (high !== 0 || low !== 0) insert(larger, high, low);
    }
    words = larger;
  }

  return {
    add(address) {
      if (used >= MOST_USED * (words.length / 2)) grow();
      const [high, low] = wordsOf(address);
      if (insert(words, high, low)) used += 1;
    },
    has(address) {
      const [high, low] = wordsOf(address);
      const at = placeOf(words, high, low);
      return words[at] === high && words[at + 1] === low;
    },
    size: () => used,
  };
}

/** Two zeros mark a free place, so that two words which are as good stand for an address that ends in zeros. */
function wordsOf(address: string): readonly [number, number] {
  const high = Number.parseInt(address.slice(-16, -8), 16);
  const low = Number.parseInt(address.slice(-8), 16);
  return high === 0 && low === 0 ? [0x9e3779b1, 0x7f4a7c15] : [high, low];
}
