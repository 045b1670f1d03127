/** What the store holds. `detail` continues a sentence about the snapshot: "it …". */
export type StoredSnapshot =
  | { readonly state: 'ABSENT' }
  | { readonly state: 'UNUSABLE'; readonly detail: string }
  | { readonly state: 'READ'; readonly bytes: Uint8Array };

/** Keeps one chain's snapshot between two runs, and checks that the bytes it reads are those that were saved. */
export type SnapshotStore = {
  read(): Promise<StoredSnapshot>;
  /** Replaces the stored snapshot by all of the pieces, or not at all. Rejects when it cannot be written. */
  save(pieces: Iterable<Uint8Array>): Promise<void>;
};

/** How a follower uses a snapshot of its market. */
export type SnapshotOptions = {
  readonly store: SnapshotStore;
  /**
   * How many blocks below the head a snapshot's block is, so that reorgs do not reach it. Fewer where the journal is
   * shorter.
   */
  readonly confirmations: number;
  readonly saveIntervalMs: number;
  /** How many pools are read back from the chain before a market from a snapshot is used. */
  readonly sampleSize: number;
};
