import { type Attempt, type BoundInstruction, type Hex, type Instruction, isBound } from './instruction.ts';
import type { GasRules, Look, Sent } from './look.ts';
import { type Act, nextActs } from './nextActs.ts';
import type { FoundTransaction, Leaving, Order, RelayPorts, Verdict } from './ports.ts';

/** So that one relayer does not take for ever while blocks come in. The next head goes on. */
const MOST_ROUNDS = 10;

/** What became of a judgement. Where it failed, that is thrown after everything else is done. */
type Judged = PromiseSettledResult<Verdict>;

/** A look at the chain, and what was judged by it: nothing is judged twice by one look. */
type View = { readonly look: Look; readonly verdicts: Map<string, Judged> };

/** One round of a relayer. */
type Round = View & {
  readonly relayerId: string;
  readonly ports: RelayPorts;
  /** What failed, while others were done. */
  readonly failures: unknown[];
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
  let view: View | undefined;
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    const { relayer, open } = await ports.store.read(relayerId);
    view ??= { look: await ports.chain.look(relayer, open.filter(isBound)), verdicts: new Map() };
    const acts = nextActs(relayer, open, view.look, rules, sentOf());
    if (acts.length === 0) return;
    const { due, leaving } = await withoutHeld(acts, ports);
    if (leaving.length > 0) await ports.journal(leaving);
    await judgeAll(due, ports, view, rules);
    const round: Round = { ...view, relayerId, ports, failures: [] };
    const didSomething = await perform(due, round);
    if (round.failures.length > 0) throw round.failures[0];
    if (!didSomething) return;
    // What was only written down changes nothing of what the chain shows.
    if (due.some(({ do: what }) => what === 'SEND' || what === 'FIND')) view = undefined;
  }
}

type Of<Do extends Act['do']> = Extract<Act, { readonly do: Do }>;

function those<Do extends Act['do']>(acts: readonly Act[], what: Do): Of<Do>[] {
  return acts.filter((act): act is Of<Do> => act.do === what);
}

/**
 * What is due, without transactions that must not leave yet: somebody has to be told first, or an earlier one is still to
 * be signed. Those with later nonces wait, too. An older database does not know the one that waits: with a gap there, all
 * behind it would stand still. `leaving`: those that leave for the first time.
 */
async function withoutHeld(
  acts: readonly Act[],
  { mayLeave }: Pick<RelayPorts, 'mayLeave'>,
): Promise<{ readonly due: readonly Act[]; readonly leaving: readonly Of<'SEND'>[] }> {
  const due: Act[] = [];
  const leaving: Of<'SEND'>[] = [];
  let isHeld = false;
  for (const act of acts) {
    const isFirst = act.do === 'SEND' && !act.attempt.wasSent;
    const isUnsent = act.do === 'SIGN' && !act.about.attempts.some(({ wasSent }) => wasSent);
    isHeld ||= isUnsent || (isFirst && !(await mayLeave(act)));
    if (isFirst && isHeld) continue;
    if (isFirst) leaving.push(act);
    due.push(act);
  }
  return { due, leaving };
}

/** Judges all calls that a round binds or signs for the first time, at once: each asks the nodes by itself. */
async function judgeAll(
  acts: readonly Act[],
  { judge }: Pick<RelayPorts, 'judge'>,
  { look, verdicts }: View,
  rules: GasRules,
): Promise<void> {
  const calls = acts
    .flatMap((act) => (act.do === 'BIND' || (act.do === 'SIGN' && isJudged(act)) ? [act.about] : []))
    .filter(({ relayTransactionId }) => !verdicts.has(relayTransactionId));
  const judged = await Promise.allSettled(calls.map((call) => judge(call, { look, rules })));
  for (const [index, each] of judged.entries()) verdicts.set(calls[index]?.relayTransactionId ?? '', each);
}

/** What was signed before is not judged again: it can be executed already. */
function isJudged({ about, purpose }: Of<'SIGN'>): boolean {
  return purpose === 'EXECUTE' && about.attempts.length === 0;
}

/** Undefined where it could not be judged. */
function verdictOn({ relayTransactionId }: Instruction, { verdicts, failures }: Round): Verdict | undefined {
  const judged = verdicts.get(relayTransactionId);
  if (judged === undefined) throw new Error(`${relayTransactionId} was not judged in this round.`);
  if (judged.status === 'fulfilled') return judged.value;
  failures.push(judged.reason);
  return undefined;
}

/** Whether anything changed. */
async function perform(acts: readonly Act[], round: Round): Promise<boolean> {
  const { relayerId, ports } = round;
  const { store } = ports;
  const [disabling, noting, ending] = [those(acts, 'DISABLE'), those(acts, 'NOTE'), those(acts, 'CONCLUDE')];
  for (const { reason, usedCount } of disabling) await store.disable(relayerId, reason, usedCount);
  if (noting.length > 0) await store.note(noting);
  if (ending.length > 0) await store.conclude(ending);
  let didSomething = disabling.length + noting.length + ending.length > 0;
  for (const act of those(acts, 'FIND')) didSomething = (await find(act, round)) || didSomething;
  didSomething = (await signAll(those(acts, 'SIGN'), round)) || didSomething;
  didSomething = (await sendAll(those(acts, 'SEND'), ports)) || didSomething;
  // Behind what cannot be signed now nothing more is bound.
  if (round.failures.length > 0) return didSomething;
  return (await bindAll(those(acts, 'BIND'), round)) || didSomething;
}

async function find({ about }: Of<'FIND'>, { relayerId, ports }: Round): Promise<boolean> {
  const { store, chain } = ports;
  const found = await chain.find(about);
  // Its own attempts are concluded by their receipts, however late these come.
  if (found === undefined || about.attempts.some(({ hash }) => hash === found.hash)) return false;
  const { hash, raw, fees, blockNumber } = found;
  if (isCallOf(about, found)) {
    // Signed here, and lost with an older database. To take it for another one would be to execute the call twice.
    const lost = { hash, raw, fees, signedAtBlock: blockNumber, wasSent: true };
    await store.keepAttempts([{ about, attempt: { ...lost, purpose: 'EXECUTE' } }]);
    return true;
  }
  await store.disable(relayerId, 'KEY_USED_ELSEWHERE');
  await store.conclude([{ about, outcome: { as: 'REPLACED', by: hash, blockNumber } }]);
  return true;
}

function isCallOf({ call }: BoundInstruction, { to, data, valueWei }: FoundTransaction): boolean {
  // Hex has no letter case: a call that is stored in capitals is still the call that was mined.
  return isSameHex(to, call.to) && isSameHex(data, call.data) && valueWei === call.valueWei;
}

function isSameHex(one: Hex | undefined, other: Hex): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

/** Signs all that may be signed, and keeps it. A signer that fails for one of them holds up none of the others. */
async function signAll(acts: readonly Of<'SIGN'>[], round: Round): Promise<boolean> {
  const { ports, look, failures } = round;
  const orders: Order[] = [];
  let refused = 0;
  for (const act of acts) {
    const verdict = isJudged(act) ? verdictOn(act.about, round) : undefined;
    if (!isJudged(act) || verdict?.may === 'EXECUTE') orders.push(act);
    if (verdict?.may !== 'NEVER') continue;
    await ports.store.refuse(act.about, verdict.refusal);
    refused += 1;
  }
  const signing = await Promise.allSettled(orders.map((order) => signAttempt(order, ports, look)));
  const signed = signing.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  failures.push(...signing.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : [])));
  if (signed.length > 0) await ports.store.keepAttempts(signed);
  return refused + signed.length > 0;
}

/** Signs an order. It must be kept before it is sent. */
export async function signAttempt(
  { about, purpose, fees }: Order,
  { sign }: Pick<RelayPorts, 'sign'>,
  { head }: Pick<Look, 'head'>,
): Promise<Leaving> {
  const signed = await sign({ about, purpose, fees });
  const attempt: Attempt = { ...signed, purpose, fees, signedAtBlock: head.number, wasSent: false };
  return { about, attempt };
}

/** One after the other: there are nodes that do not take a nonce before the one that it follows. */
async function sendAll(
  acts: readonly Of<'SEND'>[],
  { store, chain, onSendFailed }: RelayPorts,
): Promise<boolean> {
  for (const { attempt } of acts) {
    try {
      await chain.send(attempt);
    } catch (error) {
      onSendFailed(attempt, error);
    }
  }
  const first = acts.filter(({ attempt }) => !attempt.wasSent);
  if (first.length > 0) await store.noteSent(first);
  return acts.length > 0;
}

async function bindAll(acts: readonly Of<'BIND'>[], round: Round): Promise<boolean> {
  const { store } = round.ports;
  const verdicts = acts.map(({ about }) => ({ about, verdict: verdictOn(about, round) }));
  const refused = verdicts.flatMap(({ about, verdict }) =>
    verdict?.may === 'NEVER'
      ? [{ about, outcome: { as: 'REJECTED', refusal: verdict.refusal } as const }]
      : [],
  );
  const given = verdicts.flatMap(({ about, verdict }) =>
    verdict?.may === 'EXECUTE' ? [{ about, gasLimit: verdict.gasLimit }] : [],
  );
  if (refused.length > 0) await store.conclude(refused);
  if (given.length > 0) await store.bind(given);
  return refused.length + given.length > 0;
}
