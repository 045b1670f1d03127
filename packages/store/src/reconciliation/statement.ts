import type { Movement, TimeMs, Verification } from '@fairway/plan';
import type {
  Balance,
  ColumnMap,
  Direction,
  MatchedBy,
  Proposal,
  StatementSection,
} from '@fairway/statements';
import type { Database } from '../database/database.ts';
import type { PublishedEvent } from '@fairway/outbox';
import type { Fingerprints } from '../keys/fingerprints.ts';
import type { Sealing } from '@fairway/keys';

/** How an entry stands. TENTATIVE: it may be one of the proposed movements. PARTLY_MATCHED: a part of its amount is still open. */
export type EntryStatus = 'OPEN' | 'TENTATIVE' | 'PARTLY_MATCHED' | 'MATCHED' | 'IGNORED';

/** A file that is to be kept. `sha256`: of its bytes. `mapDigest`: of the content of the column map that it was read with. */
export type StatementFile = {
  readonly statementId: string;
  readonly sha256: Buffer;
  readonly format: 'camt.052' | 'camt.053' | 'camt.054' | 'mt940' | 'csv';
  readonly mapName?: string;
  readonly mapDigest?: Buffer;
  readonly sections: readonly StatementSection[];
};

/**
 * The statement before one of the same account, by the days of their closing balances. `closing`: of that one, which this one should begin
 * with.
 */
export type Preceding = { readonly statementId: string; readonly closing: Balance };

/** A statement of one account in a file. `preceding` is absent where none is known. */
export type KeptSection = Omit<StatementSection, 'account' | 'units'> & {
  readonly accountMasked: string;
  readonly preceding?: Preceding;
};

/** A file with statements. `counts`: how its entries stand. `replacedBy`: the same bytes, read with another map since. */
export type KeptStatement = {
  readonly statementId: string;
  readonly sha256: string;
  readonly format: StatementFile['format'];
  readonly mapName?: string;
  readonly replacedBy?: string;
  readonly sections: readonly KeptSection[];
  readonly counts: Readonly<Partial<Record<EntryStatus, number>>>;
  readonly createdAtMs: TimeMs;
};

/** A part of an entry that is a part of a movement. `minor`: in minor units of the entry's currency. `by`: PERSON, or what led to it. */
export type Allocation = {
  readonly movementId: string;
  readonly planId: string;
  readonly minor: bigint;
  readonly by: MatchedBy | 'PERSON';
};

/** An entry, without what of it is sealed. */
export type KeptEntry = {
  readonly entryId: string;
  readonly status: EntryStatus;
  readonly direction: Direction;
  readonly currency: string;
  readonly minor: bigint;
  readonly bookedOn: string;
  readonly valueOn: string;
  readonly isReversal: boolean;
  readonly isRest: boolean;
  readonly servicerReference?: string;
  readonly endToEndId?: string;
  readonly references: readonly string[];
  readonly code?: string;
  readonly masked: { readonly name?: string; readonly account?: string };
  readonly allocations: readonly Allocation[];
  readonly proposals: readonly Proposal[];
  readonly ignoredReason?: string;
  readonly updatedAtMs: TimeMs;
};

/** The transfer on a chain that a movement is, or that brought what it paid. */
export type CanonicalLog = {
  readonly kind: Movement['kind'];
  readonly transfer: NonNullable<Movement['transfer']>;
  readonly verification: Verification;
};

/** A movement that entries may be. `money`: what the bank moved for it, as far as that is known. */
export type MatchedMovement = {
  readonly planId: string;
  readonly movement: Movement;
  readonly isTakenBack: boolean;
  readonly money: { readonly currency: string; readonly minor: bigint | undefined };
  readonly log?: CanonicalLog;
};

/** What is changed. `before` is undefined where an entry was not told of yet. */
export type StatementChange =
  | { readonly type: 'statement.imported'; readonly statement: KeptStatement }
  | {
      readonly type: `statement_entry.${'updated' | 'matched' | 'unmatched' | 'ignored'}`;
      readonly before: KeptEntry | undefined;
      readonly after: KeptEntry;
    };

/** Makes the published events about statements and their entries. */
export type PublishedEventsOfStatement = (change: StatementChange) => readonly PublishedEvent[];

/** What operations on statements work with. */
export type StatementParts = {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly fingerprints: Fingerprints;
  readonly publishedEventsOfStatement: PublishedEventsOfStatement;
};

/** A column map under its name. */
export type KeptMap = {
  readonly name: string;
  readonly map: ColumnMap;
  readonly createdAtMs: TimeMs;
  readonly updatedAtMs: TimeMs;
};
