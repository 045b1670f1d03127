/** Whether money came to the account or left it. */
export type Direction = 'IN' | 'OUT';

/** What an account held. `minor`: in minor units of the currency, negative when overdrawn. `on`: the day, YYYY-MM-DD. */
export type Balance = { readonly minor: bigint; readonly on: string };

/**
 * One movement of money as the account's servicer booked it: an entry, or a payment of an entry that has several. `minor`: in minor units
 * of the section's currency, above 0. `servicerReference`: of the entry, and of the payment where it has one, too. `references`: all
 * that the servicer calls it, but for the end-to-end id. `name` and `account`: of the other side. `isRest`: the rest
 * of an entry beyond its payments, such as a fee. `isTextCut`: the servicer wrote more than `text` has.
 */
export type StatementUnit = {
  readonly direction: Direction;
  readonly minor: bigint;
  readonly bookedOn: string;
  readonly valueOn: string;
  readonly isReversal: boolean;
  readonly isRest: boolean;
  readonly servicerReference?: string;
  readonly endToEndId?: string;
  readonly references: readonly string[];
  readonly code?: string;
  readonly name?: string;
  readonly account?: string;
  readonly text?: string;
  readonly isTextCut?: true;
};

/** A statement of one account. `number`: what the servicer counts or else calls it. */
export type StatementSection = {
  readonly account: string;
  readonly currency: string;
  readonly number?: string;
  readonly opening?: Balance;
  readonly closing?: Balance;
  readonly units: readonly StatementUnit[];
};

/** Why a file is not taken. `detail` names the place and the remedy, and no text of the file but short codes. */
export type StatementFault = { readonly ok: false; readonly detail: string };

/** The statements of a file, in its order. */
export type ReadStatements =
  | { readonly ok: true; readonly sections: readonly StatementSection[] }
  | StatementFault;

/** How much a file may hold, so that what is read of it stays small. */
export const FILE_LIMITS = {
  units: 50_000,
  sections: 1_000,
  /** For one statement. */
  balances: 1_000,
  depth: 64,
  /** For one element, its namespaces among them. */
  attributes: 16,
  /** For a CSV file. */
  columns: 1_000,
  rowLength: 80_000,
  textLength: 10_000,
  /** For one kind in an element, such as its lines of text; the others are passed over. */
  texts: 100,
  /** ISO 20022 has 140 characters. */
  nameLength: 256,
  /** ISO 20022 has 35 characters. */
  referenceLength: 256,
  /** For one movement; the others are passed over. */
  references: 20,
} as const;

/** What is wrong with a file, thrown while it is read, and answered by the reader. */
export class FaultError extends Error {}

/** An account as it is compared: people write the groups of an IBAN apart, files do not. */
export function comparableAccount(account: string): string {
  return account.replaceAll(/\s/g, '');
}

/** A reference as it was read. Throws a FaultError where it is longer than any bank's. */
export function checkedReference(text: string, place: string): string {
  if (text.length > FILE_LIMITS.referenceLength)
    throw new FaultError(
      `${place}: a reference is longer than ${FILE_LIMITS.referenceLength} characters. In a CSV file, map such a column as text.`,
    );
  return text;
}

/** A name as it was read. Throws a FaultError where it is longer than any bank's: names are compared, and some of their characters count 18-fold. */
export function checkedName(text: string | undefined, place: string): string | undefined {
  if (text !== undefined && text.length > FILE_LIMITS.nameLength)
    throw new FaultError(
      `${place}: a name is longer than ${FILE_LIMITS.nameLength} characters. In a CSV file, map such a column as text.`,
    );
  return text;
}

/** A text of several parts, with a mark where something was left out: a text may be too long, or have too many parts. */
export function joinedText(
  parts: readonly string[],
  isCut: boolean,
): { readonly text?: string; readonly isTextCut?: true } {
  const whole = parts.join(' ').trim();
  const text = whole.slice(0, FILE_LIMITS.textLength);
  return {
    ...(text === '' ? {} : { text }),
    ...(isCut || text.length < whole.length ? { isTextCut: true } : {}),
  };
}

/** The references that are kept of all that a movement has: each once, and the first ones. */
export function keptReferences(references: readonly string[]): readonly string[] {
  return [...new Set(references)].slice(0, FILE_LIMITS.references);
}

/** The fault of an error that was thrown while a file was read. Other errors are thrown on. */
export function faultOf(error: unknown): StatementFault {
  if (error instanceof FaultError) return { ok: false, detail: error.message };
  throw error;
}
