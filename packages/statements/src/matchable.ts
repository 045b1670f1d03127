import type { Direction } from './statement.ts';

/**
 * An entry of a statement that is to be matched. `isReversal`: the bank takes an earlier entry back with it. `payments`: those that its
 * references and its text name. `chancePayments`: those of them that only short references name, which a text may have by
 * chance. `cutPayments`: those of them that only references name which may be another payment's, cut at the length of a
 * field. `begunPayments`: those that have a reference which begins with one of the entry's. `mayNameMore`: the entry has
 * more references, or a longer text, than is looked through. `nameForm` and `accountForm`: the name and the account of the
 * other side as they are compared.
 */
export type MatchEntry = {
  readonly entryId: string;
  readonly direction: Direction;
  readonly currency: string;
  readonly minor: bigint;
  readonly bookedOn: string;
  readonly valueOn: string;
  readonly isReversal: boolean;
  readonly endToEndId?: string;
  readonly references: readonly string[];
  readonly payments: readonly string[];
  readonly chancePayments?: readonly string[];
  readonly cutPayments?: readonly string[];
  readonly begunPayments: readonly string[];
  readonly mayNameMore?: boolean;
  readonly nameForm?: string;
  readonly accountForm?: string;
};

/**
 * A movement of the ledger that an entry may be. `minor`: what the bank moved for it, in minor units of `currency`;
 * undefined when nobody told. `taken`: how much of it entries have already. `on`: the day on which it happened,
 * YYYY-MM-DD. `payment`: what it is a payment of. `failedOn`: the day on which an earlier attempt at the payment
 * failed. Entries may tell of it, too. `failedReferences`: what the provider called such attempts, as far as it was
 * told. `clientReference`: of its payment. `paidAs`: of money that came back, the end-to-end ids of the payments that it may be of: banks give it back under
 * these. `nameForm` and `accountForm`: of who was paid; `otherNameForm`: a second name for the same. `bankCode`: the
 * code of six digits, such as a BSB, of the bank of the account.
 */
export type MatchMovement = {
  readonly movementId: string;
  readonly payment: string;
  readonly direction: Direction;
  readonly currency: string;
  readonly minor: bigint | undefined;
  readonly taken: bigint;
  readonly on: string;
  readonly failedOn?: string;
  readonly failedReferences?: readonly string[];
  readonly endToEndId?: string;
  readonly paidAs?: readonly string[];
  readonly providerReference?: string;
  readonly clientReference?: string;
  readonly nameForm?: string;
  readonly otherNameForm?: string;
  readonly accountForm?: string;
  readonly bankCode?: string;
};
