import { type Attempt, type BoundInstruction, type Hex, type Instruction, isBound } from './instruction.ts';
import type { GasRules, Look, Sent } from './look.ts';
import { type Act, nextActs } from './nextActs.ts';
import type { FoundTransaction, Order, RelayPorts, Verdict } from './ports.ts';

/** So that one relayer does not take for ever while blocks come in. The next head goes on. */
const MOST_ROUNDS = 10;

/** One round of a relayer: what it is about, what the chain showed at its beginning, and what its calls may do. */
type Round = {
  readonly relayerId: string;
  readonly ports: RelayPorts;
  readonly look: Look;
  readonly verdicts: ReadonlyMap<Instruction, Judged>;
};

/**
 * Does what a relayer has to do now, until there is nothing left for this block. It may be stopped anywhere, run twice at
 * once, or be lost with its process. The next call goes on from the database and the chain.
 *
 * @throws what the ports throw when the database or the nodes are away. The next call tries again.
 *
 * @example
 * ```ts
 * import { advance, type GasRules, type RelayPorts } from '@fairway/relay';
 *
 * declare const ports: RelayPorts;
 * const rules: GasRules = { maxFeePerGasCapWei: 10n ** 11n, bumpAfterBlocks: 3, mostPending: 16 };
 * await advance('relayer-1', ports, rules, () => ({ upTo: -1, lately: new Set() }));
 * ```
 */
export async function advance(
  relayerId: string,
  ports: RelayPorts,
  rules: GasRules,
  sentOf: () => Sent,
): Promise<void> {
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    const { relayer, open } = await ports.store.read(relayerId);
    const look = await ports.chain.look(relayer, open.filter(isBound));
    const acts = nextActs(relayer, open, look, rules, sentOf());
    if (acts.length === 0) return;
    const { due, leaving } = await withoutHeld(acts, ports);
    if (leaving.length > 0) await ports.journal(leaving);
    const round = { relayerId, ports, look, verdicts: await judgeAll(due, ports) };
    let didSomething = false;
    for (const act of due) didSomething = (await perform(act, round)) || didSomething;
    if (!didSomething) return;
  }
}

type Send = Act & { readonly do: 'SEND' };

/**
 * What is due, without transactions that must not leave yet: somebody has to be told first, or an earlier one is not
 * signed. Those with later nonces wait, too. An older database does not know the one that waits: with a gap there, all
 * behind it would stand still. `leaving`: those that leave for the first time.
 */
async function withoutHeld(
  acts: readonly Act[],
  { mayLeave }: Pick<RelayPorts, 'mayLeave'>,
): Promise<{ readonly due: readonly Act[]; readonly leaving: readonly Send[] }> {
  const due: Act[] = [];
  const leaving: Send[] = [];
  let isHeld = false;
  for (const act of acts) {
    const isFirst = act.do === 'SEND' && !act.attempt.wasSent;
    const isUnsigned = act.do === 'SIGN' && act.about.attempts.length === 0;
    isHeld ||= isUnsigned || (isFirst && !(await mayLeave(act)));
    if (isFirst && isHeld) continue;
    if (isFirst) leaving.push(act);
    due.push(act);
  }
  return { due, leaving };
}

/** What became of a judgement. Where it failed, that is thrown when its turn comes: what is before it is done first. */
type Judged = PromiseSettledResult<Verdict>;

/** Judges all calls that a round binds or signs for the first time, at once: each asks the nodes by itself. */
async function judgeAll(
  acts: readonly Act[],
  { judge }: Pick<RelayPorts, 'judge'>,
): Promise<ReadonlyMap<Instruction, Judged>> {
  const calls = acts.flatMap((act) =>
    act.do === 'BIND' || (act.do === 'SIGN' && isJudged(act)) ? [act.about] : [],
  );
  const judged = await Promise.allSettled(calls.map(judge));
  return new Map(judged.map((each, index) => [calls[index] as Instruction, each]));
}

/** What was signed before is not judged again: it can be executed already. */
function isJudged({ about, purpose }: Act & { do: 'SIGN' }): boolean {
  return purpose === 'EXECUTE' && about.attempts.length === 0;
}

function verdictOn(about: Instruction, { verdicts }: Round): Verdict {
  const judged = verdicts.get(about);
  if (judged === undefined) throw new Error(`${about.relayTransactionId} was not judged in this round.`);
  if (judged.status === 'rejected') throw judged.reason;
  return judged.value;
}

/** Whether anything changed. */
async function perform(act: Act, round: Round): Promise<boolean> {
  const { ports } = round;
  const { store, chain } = ports;
  switch (act.do) {
    case 'DISABLE':
      await store.disable(round.relayerId, act.reason, act.usedCount);
      return true;
    case 'NOTE':
      await store.note(act.about, act.inclusion);
      return true;
    case 'CONCLUDE':
      await store.conclude(act.about, act.outcome);
      return true;
    case 'FIND':
      return find(act, round);
    case 'SIGN':
      return sign(act, round);
    case 'SEND':
      try {
        await chain.send(act.attempt);
      } catch (error) {
        ports.onSendFailed(act.attempt, error);
      }
      if (!act.attempt.wasSent) await store.noteSent(act.about, act.attempt.hash);
      return true;
    case 'BIND':
      return bind(act, round);
  }
}

async function find({ about }: Act & { do: 'FIND' }, { relayerId, ports }: Round): Promise<boolean> {
  const { store, chain } = ports;
  const found = await chain.find(about);
  // Its own attempts are concluded by their receipts, however late these come.
  if (found === undefined || about.attempts.some(({ hash }) => hash === found.hash)) return false;
  const { hash, raw, fees, blockNumber } = found;
  if (isCallOf(about, found)) {
    // Signed here, and lost with an older database. To take it for another one would be to execute the call twice.
    const lost = { hash, raw, fees, signedAtBlock: blockNumber, wasSent: true };
    await store.keepAttempt(about, { ...lost, purpose: 'EXECUTE' });
    return true;
  }
  await store.disable(relayerId, 'KEY_USED_ELSEWHERE');
  await store.conclude(about, { as: 'REPLACED', by: hash, blockNumber });
  return true;
}

function isCallOf({ call }: BoundInstruction, { to, data, valueWei }: FoundTransaction): boolean {
  // Hex has no letter case: a call that is stored in capitals is still the call that was mined.
  return isSameHex(to, call.to) && isSameHex(data, call.data) && valueWei === call.valueWei;
}

function isSameHex(one: Hex | undefined, other: Hex): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

async function sign(order: Act & { do: 'SIGN' }, round: Round): Promise<boolean> {
  const { ports, look } = round;
  if (isJudged(order)) {
    const verdict = verdictOn(order.about, round);
    if (verdict.may === 'WAIT') return false;
    if (verdict.may === 'NEVER') {
      await ports.store.refuse(order.about, verdict.refusal);
      return true;
    }
  }
  await signAttempt(order, ports, look);
  return true;
}

/** Signs an order, and keeps what was signed. */
export async function signAttempt(
  { about, purpose, fees }: Order,
  ports: Pick<RelayPorts, 'sign' | 'store'>,
  { head }: Pick<Look, 'head'>,
): Promise<void> {
  const attempt: Attempt = {
    ...(await ports.sign({ about, purpose, fees })),
    purpose,
    fees,
    signedAtBlock: head.number,
    wasSent: false,
  };
  await ports.store.keepAttempt(about, attempt);
}

async function bind({ about }: Act & { do: 'BIND' }, round: Round): Promise<boolean> {
  const { ports } = round;
  const verdict = verdictOn(about, round);
  if (verdict.may === 'WAIT') return false;
  if (verdict.may === 'NEVER')
    await ports.store.conclude(about, { as: 'REJECTED', refusal: verdict.refusal });
  else await ports.store.bind(about, verdict.gasLimit);
  return true;
}
