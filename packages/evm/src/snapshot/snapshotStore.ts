/** What was found where a snapshot is kept. `detail` continues a sentence about the snapshot: "it …". */
export type StoredSnapshot =
  | { readonly state: 'ABSENT' }
  | { readonly state: 'UNUSABLE'; readonly detail: string }
  | { readonly state: 'READ'; readonly bytes: Uint8Array };

/** Keeps one chain's snapshot between two runs. It answers for the bytes being those that were saved. */
export type SnapshotStore = {
  read(): Promise<StoredSnapshot>;
  /** Replaces what is kept by the pieces, all of them or none. Rejects when that cannot be done. */
  save(pieces: Iterable<Uint8Array>): Promise<void>;
};

/** How a follower uses a snapshot of its market. */
export type SnapshotOptions = {
  readonly store: SnapshotStore;
  /** A snapshot is of a block this far below the head, where the journal reaches that far: reorgs must not reach it. */
  readonly confirmations: number;
  readonly saveIntervalMs: number;
  /** How many pools are read back from the chain before a market from a snapshot is used. */
  readonly sampleSize: number;
};
