const PIECE_BYTES = 256 * 1024;

/** Collects numbers as bytes, little-endian, and hands them out in pieces. */
export function createByteWriter() {
  let piece = new Uint8Array(2 * PIECE_BYTES);
  let view = new DataView(piece.buffer);
  let length = 0;

  function reserve(bytes: number): number {
    const at = length;
    length += bytes;
    if (length > piece.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(piece);
      piece = larger;
      view = new DataView(piece.buffer);
    }
    return at;
  }

  /**
   * The bytes collected so far. The next piece gets a new buffer, because this one may still be being written to a
   * disk.
   */
  function take(): Uint8Array {
    const taken = piece.subarray(0, length);
    piece = new Uint8Array(2 * PIECE_BYTES);
    view = new DataView(piece.buffer);
    length = 0;
    return taken;
  }

  return {
    bytes(bytes: Uint8Array): void {
      const at = reserve(bytes.length);
      piece.set(bytes, at);
    },
    uint32(value: number): void {
      const at = reserve(4);
      view.setUint32(at, value, true);
    },
    int32(value: number): void {
      const at = reserve(4);
      view.setInt32(at, value, true);
    },
    /** Signed or unsigned: the reader has a function for each. */
    int128(value: bigint): void {
      const at = reserve(16);
      view.setBigUint64(at, value, true);
      view.setBigInt64(at + 8, value >> 64n, true);
    },
    *fullPieces(): Generator<Uint8Array, void> {
      if (length >= PIECE_BYTES) yield take();
    },
    *rest(): Generator<Uint8Array, void> {
      if (length > 0) yield take();
    },
  };
}

/** What `createByteWriter` makes. */
export type ByteWriter = ReturnType<typeof createByteWriter>;
