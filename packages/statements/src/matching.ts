import {
  byCutReference,
  byMoney,
  byReference,
  clientReferenceOf,
  CUT_LENGTH,
  daysBetween,
  endToEndIdsOf,
  formsOf,
  isOfFailedAttempt,
  MOST_MEETINGS,
  present,
  REFERENCE_DAYS,
  referencesIn,
  referencesOf,
} from './finders.ts';
import type { MatchEntry, MatchMovement } from './matchable.ts';
import { isAccount } from './accounts.ts';
import { areSameName } from './names.ts';
import { pairsOf } from './pairs.ts';
import { referenceForm } from './references.ts';
import { createTurns, type Turns } from './turns.ts';

/** What led from an entry to a movement. CUT_REFERENCE: one has the beginning of a reference of the other. */
export type MatchedBy =
  | 'END_TO_END_ID'
  | 'PROVIDER_REFERENCE'
  | 'CLIENT_REFERENCE'
  | 'CUT_REFERENCE'
  | 'AMOUNT_DATE_NAME';

/** Why an entry is not certain to be a movement. */
export type MatchReason =
  | 'AMOUNT_DIFFERS'
  | 'AMOUNT_UNKNOWN'
  | 'CURRENCY_DIFFERS'
  | 'DIRECTION_DIFFERS'
  | 'DAY_DIFFERS'
  | 'REFERENCE_CUT'
  | 'REFERENCE_DIFFERS'
  | 'ACCOUNT_DIFFERS'
  | 'NAME_DIFFERS'
  | 'NAME_UNKNOWN'
  | 'SEVERAL_MOVEMENTS'
  | 'SEVERAL_ENTRIES'
  | 'MOVEMENT_TAKEN'
  | 'REVERSAL'
  | 'EARLIER_ATTEMPT';

/** A movement that an entry may be, and why that is not certain. */
export type Proposal = {
  readonly movementId: string;
  readonly by: MatchedBy;
  readonly reasons: readonly MatchReason[];
};

/** What an entry is: one movement for certain, or perhaps one of some. */
export type MatchResult =
  | {
      readonly entryId: string;
      readonly status: 'MATCHED';
      readonly movementId: string;
      readonly by: MatchedBy;
    }
  | { readonly entryId: string; readonly status: 'TENTATIVE'; readonly proposals: readonly Proposal[] };

/** How many steps the result of an entry takes. */
const RESULT_STEPS = 5;

/** How many movements are proposed for an entry at most. */
const MOST_PROPOSALS = MOST_MEETINGS - 1;

/**
 * Finds which movements entries are. They are matched by the end-to-end id, then by a reference of the provider, then by that of the
 * client. At last they are matched by currency, amount, day and name.
 * MATCHED only if amount, currency and direction agree too, and nothing else could be meant. Entries that are nothing known are left out.
 * Others have the thread after every so much work.
 *
 * @example
 * ```ts
 * import { type MatchEntry, matchEntries, type MatchMovement } from '@fairway/statements';
 *
 * declare const entries: readonly MatchEntry[];
 * declare const movements: readonly MatchMovement[];
 * const results = await matchEntries(entries, movements);
 * const certain = results.filter(({ status }) => status === 'MATCHED');
 * ```
 */
export async function matchEntries(
  entries: readonly MatchEntry[],
  movements: readonly MatchMovement[],
  turns: Turns = createTurns(),
): Promise<readonly MatchResult[]> {
  const results = new Map<string, MatchResult>();
  const taken = new Set(
    movements.filter(({ taken: minor }) => minor > 0n).map(({ movementId }) => movementId),
  );
  const payments = new Map(movements.map(({ movementId, payment }) => [movementId, payment]));
  const meansAnother: Known['meansAnother'] = ({ entryId }, { payment }) => {
    const result = results.get(entryId);
    if (result?.status !== 'TENTATIVE' || !isOfDirection(result)) return false;
    return result.proposals.some(({ movementId }) => payments.get(movementId) !== payment);
  };
  // A movement that entries may be by their reference is not given to another entry for its amount alone.
  const proposed = new Set<string>();
  for (const stage of STAGES) {
    const open = entries.filter(({ entryId }) => results.get(entryId)?.status !== 'MATCHED');
    // An entry that has an answer of its direction already may find a better one, and takes nothing from others.
    const claims = ({ entryId }: MatchEntry) => !isOfDirection(results.get(entryId));
    const known = { taken, proposed, claims, meansAnother };
    const found = await runStage(stage, open, movements, known, turns);
    const times = new Map<string, number>();
    for (const { movementId } of found.filter(isMatched))
      times.set(movementId, (times.get(movementId) ?? 0) + 1);
    for (const result of found) {
      const isBetter = isMatched(result) && times.get(result.movementId) === 1;
      if (isBetter || !isOfDirection(results.get(result.entryId))) results.set(result.entryId, result);
    }
    for (const result of results.values()) {
      if (isMatched(result)) taken.add(result.movementId);
      else if (isOfDirection(result)) for (const { movementId } of result.proposals) proposed.add(movementId);
    }
  }
  return entries.flatMap(({ entryId }) => results.get(entryId) ?? []);
}

function isMatched(result: MatchResult): result is Extract<MatchResult, { readonly status: 'MATCHED' }> {
  return result.status === 'MATCHED';
}

/**
 * Whether a result has a movement of the entry's direction. Money that comes back has the references of its payment,
 * and is not that payment. All movements that are proposed for an entry have one direction.
 */
function isOfDirection(result: MatchResult | undefined): boolean {
  if (result?.status !== 'TENTATIVE') return result !== undefined;
  return !result.proposals.some(({ reasons }) => reasons.includes('DIRECTION_DIFFERS'));
}

/** A way to find movements. `finder`: prepares it. `doubts`: what beside the money speaks against a pair that it finds. */
type Stage = {
  readonly by: MatchedBy;
  readonly finder: typeof byMoney;
  doubts(entry: MatchEntry, movement: MatchMovement): readonly MatchReason[];
};

const STAGES: readonly Stage[] = [
  {
    by: 'END_TO_END_ID',
    finder: byReference(({ endToEndId }) => present(endToEndId), endToEndIdsOf),
    doubts: () => [],
  },
  {
    by: 'PROVIDER_REFERENCE',
    finder: byReference(referencesIn, referencesOf),
    // A reference that is not ours may be anything, such as a number that banks begin anew each day.
    doubts: referenceDoubts,
  },
  {
    by: 'CLIENT_REFERENCE',
    finder: byReference(referencesIn, clientReferenceOf),
    doubts(entry, movement) {
      const reasons = referenceDoubts(entry, movement);
      // Texts have short words by chance, such as a year.
      const isShort = referenceForm(movement.clientReference ?? '').length < CUT_LENGTH;
      return isShort && isPayee(entry, movement) !== true ? [...reasons, 'NAME_UNKNOWN'] : reasons;
    },
  },
  { by: 'CUT_REFERENCE', finder: byCutReference, doubts: () => ['REFERENCE_CUT'] },
  {
    by: 'AMOUNT_DATE_NAME',
    finder: byMoney,
    doubts(entry, movement) {
      // An entry that names a payment means no other one, even where a bank has cut the reference.
      const isNamed = entry.endToEndId !== undefined;
      const isBegun = entry.begunPayments.some((payment) => payment !== movement.payment);
      const namesOther = isNamed || isBegun || entry.mayNameMore === true;
      const reasons: MatchReason[] = namesOther ? ['REFERENCE_DIFFERS'] : [];
      if (isPayee(entry, movement) === undefined) reasons.push('NAME_UNKNOWN');
      return reasons;
    },
  },
];

/** What speaks against a pair that has a reference in common which is no end-to-end id. */
function referenceDoubts(entry: MatchEntry, movement: MatchMovement): readonly MatchReason[] {
  const reasons: MatchReason[] = contradicts(entry, movement) ? ['REFERENCE_DIFFERS'] : [];
  if (Math.abs(daysBetween(entry.valueOn, movement.on)) > REFERENCE_DAYS) reasons.push('DAY_DIFFERS');
  return reasons;
}

/** Whether each has an end-to-end id, and the entry's is no reference of the movement. Providers may give another one. */
function contradicts(entry: MatchEntry, movement: MatchMovement): boolean {
  const [own] = formsOf(present(entry.endToEndId));
  const ids = formsOf([...referencesOf(movement), ...clientReferenceOf(movement)]);
  return own !== undefined && endToEndIdsOf(movement).length > 0 && !ids.includes(own);
}

/**
 * What is known when a stage begins: the movements that entries have, those that were proposed before, and which
 * entries may claim one. `meansAnother`: whether an entry may be another payment than that of a movement.
 */
type Known = {
  readonly taken: ReadonlySet<string>;
  readonly proposed: ReadonlySet<string>;
  claims(entry: MatchEntry): boolean;
  meansAnother(entry: MatchEntry, movement: MatchMovement): boolean;
};

async function runStage(
  { by, finder, doubts }: Stage,
  entries: readonly MatchEntry[],
  movements: readonly MatchMovement[],
  { taken, proposed, claims, meansAnother }: Known,
  turns: Turns,
): Promise<readonly MatchResult[]> {
  // A reference that is already matched is still useful: it can show that a payment was made twice. An amount cannot
  // show that.
  const free =
    by === 'AMOUNT_DATE_NAME' ? movements.filter((each) => !taken.has(each.movementId)) : movements;
  const { meet, claimsOn } = await finder(entries, free, claims, turns);
  const ownDoubts = (entry: MatchEntry, movement: MatchMovement): readonly MatchReason[] => [
    ...moneyDoubts(entry, movement),
    ...new Set([
      ...doubts(entry, movement),
      ...(by === 'AMOUNT_DATE_NAME' && meansAnother(entry, movement) ? (['REFERENCE_DIFFERS'] as const) : []),
      ...paymentDoubts(entry, movement, by),
    ]),
  ];
  const rivalDoubts = (entry: MatchEntry, movement: MatchMovement): readonly MatchReason[] => {
    // Money of the other direction is no rival for a movement.
    if (movement.direction !== entry.direction) return [];
    const isClaimed = claimsOn(movement) > 1 || proposed.has(movement.movementId);
    return [
      ...(taken.has(movement.movementId) ? (['MOVEMENT_TAKEN'] as const) : []),
      ...(isClaimed ? (['SEVERAL_ENTRIES'] as const) : []),
    ];
  };
  const isSure = (entry: MatchEntry, movement: MatchMovement) =>
    !taken.has(movement.movementId) &&
    !proposed.has(movement.movementId) &&
    ownDoubts(entry, movement).length === 0;
  const pairs = await pairsOf(entries.filter(claims), { meet, isSure }, turns);
  const resultOf = (entry: MatchEntry): readonly MatchResult[] => {
    const { entryId } = entry;
    const met = meet(entry);
    if (met.length === 0) return [];
    const paired = pairs.get(entryId);
    if (paired !== undefined) return [{ entryId, status: 'MATCHED', movementId: paired.movementId, by }];
    const proposals = met.slice(0, MOST_PROPOSALS).map(
      (movement): Proposal => ({
        movementId: movement.movementId,
        by,
        reasons: [
          ...ownDoubts(entry, movement),
          ...(met.length > 1 ? (['SEVERAL_MOVEMENTS'] as const) : []),
          ...rivalDoubts(entry, movement),
        ],
      }),
    );
    const [only] = proposals;
    if (only !== undefined && proposals.length === 1 && only.reasons.length === 0)
      return [{ entryId, status: 'MATCHED', movementId: only.movementId, by }];
    return [{ entryId, status: 'TENTATIVE', proposals }];
  };
  const results: MatchResult[] = [];
  for (const entry of entries) {
    results.push(...resultOf(entry));
    await turns.step(RESULT_STEPS);
  }
  return results;
}

function moneyDoubts(entry: MatchEntry, movement: MatchMovement): readonly MatchReason[] {
  const reasons: MatchReason[] = [];
  if (entry.direction !== movement.direction) reasons.push('DIRECTION_DIFFERS');
  if (entry.currency !== movement.currency) reasons.push('CURRENCY_DIFFERS');
  else if (movement.minor === undefined) reasons.push('AMOUNT_UNKNOWN');
  else if (movement.minor !== entry.minor) reasons.push('AMOUNT_DIFFERS');
  return reasons;
}

/** Whether an entry has the name of who was paid; undefined where nothing says it. */
function isPayee({ nameForm }: MatchEntry, movement: MatchMovement): boolean | undefined {
  const isSame = areSameName(nameForm, movement.nameForm);
  return isSame === false && areSameName(nameForm, movement.otherNameForm) === true ? true : isSame;
}

/** Whether an entry has an end-to-end id of a movement, in any field or its text. */
function hasIdOf(entry: MatchEntry, movement: MatchMovement): boolean {
  const ids = formsOf(endToEndIdsOf(movement));
  return formsOf(referencesIn(entry)).some((form) => ids.includes(form));
}

/** The doubts about a pair, whatever has led to it. */
function paymentDoubts(entry: MatchEntry, movement: MatchMovement, by: MatchedBy): readonly MatchReason[] {
  const reasons: MatchReason[] = [];
  const { payments, isReversal, direction, references, bookedOn } = entry;
  // The reference that has led here may name this payment by chance, and mean another one. An id of ours does not.
  const others = payments.filter((payment) => payment !== movement.payment);
  const byChance = others.length > 0 && hasIdOf(entry, movement) ? (entry.chancePayments ?? []) : [];
  if (others.some((payment) => !byChance.includes(payment))) reasons.push('REFERENCE_DIFFERS');
  if (entry.cutPayments?.includes(movement.payment) === true) reasons.push('REFERENCE_CUT');
  // Money that leaves because an earlier credit is taken back is no payout.
  if (isReversal && direction === 'OUT') reasons.push('REVERSAL');
  // An id or a reference is only what we asked for. The account and the name are what the bank did.
  const { accountForm: paid, bankCode } = movement;
  if (isAccount(entry.accountForm, paid, bankCode) === false) reasons.push('ACCOUNT_DIFFERS');
  // Banks name either side of a payment when it comes back under its own id.
  const isNameOfAnySide = movement.direction === 'IN' && by === 'END_TO_END_ID';
  if (!isNameOfAnySide && isPayee(entry, movement) === false) reasons.push('NAME_DIFFERS');
  const { failedOn, providerReference = '', failedReferences = [] } = movement;
  // The provider may keep a reference for the retry. Then it is that of the failed attempt, too.
  const own = referenceForm(providerReference);
  const isNamed = formsOf(references).includes(own) && !formsOf(failedReferences).includes(own);
  // Days of the bank and of the clock may differ by one.
  const mayHaveFailed = failedOn !== undefined && daysBetween(failedOn, bookedOn) <= 1;
  if (isOfFailedAttempt(entry, movement) || (mayHaveFailed && !isNamed)) reasons.push('EARLIER_ATTEMPT');
  return reasons;
}
