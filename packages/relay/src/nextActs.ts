import { dearest, feesOf } from './fees.ts';
import {
  type Attempt,
  type BoundInstruction,
  type DisabledReason,
  type Fees,
  type Hex,
  type Inclusion,
  type Instruction,
  isBound,
  type Outcome,
  type Purpose,
  type Relayer,
} from './instruction.ts';
import type { GasRules, Look, Sent } from './look.ts';

/**
 * What a relayer does about one instruction, or about itself.
 *
 * - NOTE: writes down where the chain has it, or that the chain has it no more.
 * - CONCLUDE: writes down how it ended.
 * - FIND: looks for the transaction that has its nonce. Its receipt may be late, or somebody else may have sent it.
 * - SIGN: signs an attempt and keeps it.
 * - SEND: gives its newest attempt to the nodes.
 * - BIND: gives it the next nonce.
 * - DISABLE: binds nothing until an operator has looked.
 */
export type Act =
  | { readonly do: 'DISABLE'; readonly reason: DisabledReason; readonly usedCount: number }
  | { readonly do: 'NOTE'; readonly about: BoundInstruction; readonly inclusion: Inclusion | undefined }
  | { readonly do: 'CONCLUDE'; readonly about: Instruction; readonly outcome: Outcome }
  | { readonly do: 'FIND'; readonly about: BoundInstruction }
  | {
      readonly do: 'SIGN';
      readonly about: BoundInstruction;
      readonly purpose: Purpose;
      readonly fees: Fees;
    }
  | { readonly do: 'SEND'; readonly about: BoundInstruction; readonly attempt: Attempt }
  | { readonly do: 'BIND'; readonly about: Instruction };

/**
 * Decides what a relayer does now. `open` are its instructions without an outcome: bound ones by nonce, then the others
 * as they came. `sent` is what this process remembers of what left.
 *
 * No rule here reads the text of an error, a lock or a clock of this machine. A call is only ever signed for its own
 * nonce, so it does not matter what was lost, doubled or late.
 *
 * @example
 * ```ts
 * import { type GasRules, type Instruction, type Look, nextActs, type Relayer } from '@fairway/relay';
 *
 * declare const relayer: Relayer;
 * declare const open: readonly Instruction[];
 * declare const look: Look;
 * declare const rules: GasRules;
 * const acts = nextActs(relayer, open, look, rules, { upTo: -1, lately: new Set() });
 * ```
 */
export function nextActs(
  relayer: Relayer,
  open: readonly Instruction[],
  look: Look,
  rules: GasRules,
  sent: Sent,
): Act[] {
  const fault = relayer.disabled === undefined ? faultOf(relayer, look, sent) : undefined;
  if (fault !== undefined) return [fault];
  const bound = open.filter(isBound);
  const seen = bound.flatMap((instruction) => seenOf(instruction, look));
  // What the chain shows is written down before anything is decided by it.
  if (seen.length > 0) return seen;
  const hidden = bound.filter(
    (each) => each.nonce < look.nonceFinal && inclusionOf(each, look.inclusions) === undefined,
  );
  return [
    ...hidden.map((about): Act => ({ do: 'FIND', about })),
    ...bound.flatMap((instruction) => pushOf(instruction, look, rules, sent)),
    ...bindingsOf(relayer, open, look, rules),
  ];
}

/** Why the relayer cannot trust what it knows of its nonces. */
function faultOf({ nextNonce }: Relayer, look: Look, { upTo }: Sent): Act | undefined {
  if (upTo >= nextNonce) return { do: 'DISABLE', reason: 'DATABASE_OLDER', usedCount: upTo + 1 };
  if (look.nonceLatest <= nextNonce) return undefined;
  return { do: 'DISABLE', reason: 'NONCES_UNKNOWN', usedCount: look.nonceLatest };
}

/** What the chain shows of an instruction, where it is not written down yet. */
function seenOf(about: BoundInstruction, look: Look): Act[] {
  const inclusion = inclusionOf(about, look.inclusions);
  const known = about.inclusion;
  if (inclusion === undefined) {
    // A receipt that a node does not find any more says nothing as long as the chain has the nonce. A look that is older
    // than what is known says nothing, either.
    const isGone = look.nonceLatest <= about.nonce && known !== undefined;
    return isGone && known.blockNumber <= look.head.number ? [{ do: 'NOTE', about, inclusion }] : [];
  }
  if (!isSame(known, inclusion)) return [{ do: 'NOTE', about, inclusion }];
  if (inclusion.blockNumber > look.finalBlockNumber) return [];
  return [{ do: 'CONCLUDE', about, outcome: { as: endOf(about, inclusion), inclusion } }];
}

function inclusionOf(
  { attempts }: BoundInstruction,
  inclusions: ReadonlyMap<Hex, Inclusion>,
): Inclusion | undefined {
  return attempts.map(({ hash }) => inclusions.get(hash)).find((each) => each !== undefined);
}

function isSame(one: Inclusion | undefined, other: Inclusion): boolean {
  return one?.hash === other.hash && one.blockHash === other.blockHash;
}

function endOf(
  { attempts }: BoundInstruction,
  { hash, succeeded }: Inclusion,
): 'CONFIRMED' | 'REVERTED' | 'CANCELLED' {
  if (attempts.find((each) => each.hash === hash)?.purpose === 'CANCEL') return 'CANCELLED';
  return succeeded ? 'CONFIRMED' : 'REVERTED';
}

/** What brings a bound instruction into a block. */
function pushOf(about: BoundInstruction, look: Look, rules: GasRules, { lately }: Sent): Act[] {
  if (about.nonce < look.nonceLatest) return [];
  const signing = signingOf(about, look, rules);
  // Also while the relayer is disabled: the call has its nonce, and those behind it wait for this one.
  if (signing !== undefined) return [signing];
  const attempt = about.attempts.at(-1);
  return attempt === undefined || lately.has(attempt.hash) ? [] : [{ do: 'SEND', about, attempt }];
}

function signingOf(about: BoundInstruction, look: Look, rules: GasRules): Act | undefined {
  const newest = about.attempts.at(-1);
  const purpose = isWanted(about, look) ? (newest?.purpose ?? 'EXECUTE') : 'CANCEL';
  if (newest !== undefined) {
    const isStuck = look.head.number - newest.signedAtBlock >= rules.bumpAfterBlocks;
    // Only the lowest open nonce can be waiting for its fees. The others wait for it.
    const isNext = about.nonce === look.nonceLatest;
    if (newest.purpose === purpose && !(isStuck && isNext)) return undefined;
  }
  const fees = feesOf(purpose, look.marketFees, rules, dearest(about.attempts));
  return fees && { do: 'SIGN', about, purpose, fees };
}

/** Whether the call is still to be executed. */
export function isWanted({ call, isCancelAsked, previous }: Instruction, { head }: Look): boolean {
  if (isCancelAsked || previous === 'FAILED') return false;
  return call.notAfterMs === undefined || head.timestampMs <= call.notAfterMs;
}

/** What becomes of instructions that are not bound. While the relayer is disabled, one of them may be unknown to be. */
function bindingsOf(relayer: Relayer, open: readonly Instruction[], look: Look, rules: GasRules): Act[] {
  if (relayer.disabled !== undefined) return [];
  const waiting = open.filter((each) => !isBound(each));
  const ended = waiting.flatMap((about): Act[] => {
    const outcome = endUnsigned(about, look);
    return outcome === undefined ? [] : [{ do: 'CONCLUDE', about, outcome }];
  });
  if (relayer.isPaused) return ended;
  const pending = open.filter((each) => isBound(each) && each.inclusion === undefined).length;
  const due = waiting.filter(
    (each) => endUnsigned(each, look) === undefined && (each.previous ?? 'SUCCEEDED') === 'SUCCEEDED',
  );
  const free = Math.max(0, rules.mostPending - pending);
  return [...ended, ...due.slice(0, free).map((about): Act => ({ do: 'BIND', about }))];
}

function endUnsigned(instruction: Instruction, look: Look): Outcome | undefined {
  if (instruction.isCancelAsked) return { as: 'WITHDRAWN', why: 'ASKED' };
  if (instruction.previous === 'FAILED') return { as: 'WITHDRAWN', why: 'PREVIOUS_FAILED' };
  return isWanted(instruction, look) ? undefined : { as: 'EXPIRED' };
}
