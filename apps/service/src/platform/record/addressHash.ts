import { randomBytes } from 'node:crypto';

/**
 * Makes a hash of two 32-bit words that nobody outside this process can foresee. With a known hash, anybody can make
 * plans whose addresses collide.
 */
export function createAddressHash(): (high: number, low: number) => number {
  const random = randomBytes(20);
  const keys = [0, 4, 8, 12, 16].map((at) => random.readUInt32LE(at));
  const [addend = 0, mask = 0, ...factors] = keys;
  // Only a product with an odd number loses nothing.
  const [one = 1, two = 1, three = 1] = factors.map((factor) => factor | 1);
  return (high, low) => {
    let mixed = Math.imul(high ^ addend, one);
    mixed = Math.imul(mixed ^ (mixed >>> 15) ^ low ^ mask, two);
    // The lower bits choose the place, and a product leaves them without the upper ones.
    mixed = Math.imul(mixed ^ (mixed >>> 16), three);
    return (mixed ^ (mixed >>> 13)) >>> 0;
  };
}
