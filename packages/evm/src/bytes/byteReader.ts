/** Reads numbers from bytes, little-endian, one after the other. Every function throws a RangeError beyond the end. */
export function createByteReader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let next = 0;
  // Filled again for every list. The returned arrays are copies, which have neither holes nor room to grow.
  const numbers: number[] = [];
  const bigints: bigint[] = [];

  function step(length: number): number {
    const at = next;
    if (length > bytes.length - at) throw new RangeError('The bytes end too early');
    next = at + length;
    return at;
  }

  function int128(): bigint {
    const at = step(16);
    const low = view.getBigUint64(at, true);
    // The high word is compared as plain numbers first: for most amounts no second bigint is needed.
    if (view.getInt32(at + 8, true) === 0 && view.getInt32(at + 12, true) === 0) return low;
    return (view.getBigInt64(at + 8, true) << 64n) + low;
  }

  return {
    uint8: () => view.getUint8(step(1)),
    uint32: () => view.getUint32(step(4), true),
    int32: () => view.getInt32(step(4), true),
    int128,
    uint128: () => BigInt.asUintN(128, int128()),
    bytes(length: number): Uint8Array {
      const at = step(length);
      return bytes.subarray(at, at + length);
    },
    /**
     * How many items of a size follow. @throws when there are fewer bytes, before memory is allocated for the items.
     */
    count(size: number): number {
      const count = view.getUint32(step(4), true);
      if (count * size > bytes.length - next) throw new RangeError('The bytes end too early');
      return count;
    },
    int32s(count: number): number[] {
      for (let index = 0; index < count; index++) numbers[index] = view.getInt32(step(4), true);
      return numbers.slice(0, count);
    },
    int128s(count: number): bigint[] {
      for (let index = 0; index < count; index++) bigints[index] = int128();
      return bigints.slice(0, count);
    },
    isAtEnd: () => next === bytes.length,
  };
}

/** What `createByteReader` makes. */
export type ByteReader = ReturnType<typeof createByteReader>;
