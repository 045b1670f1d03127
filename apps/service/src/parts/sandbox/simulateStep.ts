import {
  type Address,
  depositOf,
  dustBelow,
  executableAttempt,
  nextOf,
  type Plan,
  swapStep,
  unitsOf,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import { SIMULATED_EVENTS, type SimulatedEvent } from '@fairway/wire';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFunctionData, erc20Abi } from 'viem';
import {
  type Acting,
  complete,
  done,
  type Fields,
  invalidFields,
  optional,
  type Outcome,
  refuse,
  required,
  wordField,
} from '@fairway/api';
import {
  carriedOn,
  CHAIN_AWAY,
  comparePlan,
  compareUpToNow,
  findStep,
  type FoundStep,
  type GivenRecipient,
  planWords,
  recipientField,
  refreshStep,
  reportOnStep,
} from '../payments/index.ts';
import type { CollectParts } from '../collect/index.ts';
import type { SandboxDeps } from './deps.ts';
import { playDelivery, playPayout, type PayoutEvent } from './simulatePayout.ts';
import { playRecipient, type RecipientEvent } from './simulateRecipient.ts';
import { report, type Stage } from './stage.ts';

/** An event to simulate at a step of a plan. */
export type SimulatedStep = {
  readonly planId: string;
  readonly stepId: string;
  readonly event: SimulatedEvent;
  /** What the recipient chooses; with collect.submitted alone. */
  readonly destination?: GivenRecipient;
};

/** Reads the event to simulate; undefined when the field is wrong. */
export function readSimulatedEvent(fields: Fields): Pick<SimulatedStep, 'event' | 'destination'> | undefined {
  const event = required(fields, 'event', wordField(SIMULATED_EVENTS));
  const destination = optional(fields, 'destination', recipientField);
  const read = complete(fields, { event });
  return read && { ...read, ...defined({ destination }) };
}

/** Simulates the payer, the wallet or the custodian of a step. */
export async function simulateStep(
  parts: CollectParts,
  sandbox: SandboxDeps,
  acting: Acting,
  { planId, stepId, event, destination }: SimulatedStep,
): Promise<Outcome<Plan>> {
  const found = await findStep(parts, acting.scope, planId, stepId);
  if (!found.ok) return found;
  const { plan, step } = found.value;
  const scene = { parts, sandbox, acting, plan };
  const kind = KINDS[event.split('.')[0] ?? ''];
  const delivery = deliveryOf(event);
  if (delivery !== undefined && step.type === 'SEND_DIGITAL_COLLECT')
    return told(await playDelivery(delivery, scene));
  if (isOfRecipient(event) && step.type === 'SEND_DIGITAL_COLLECT')
    return told(await playRecipient(event, scene, destination));
  if (
    isOfRecipient(event) ||
    event === 'delivery.held' ||
    step.type === 'SEND_DIGITAL_COLLECT' ||
    kind !== step.type
  ) {
    const detail = `event must be one for ${step.type}; ${event} is for ${kind}.`;
    return refuse(invalidFields([{ pointer: '/event', detail }]));
  }
  return told(await play(event, { ...scene, step }));
}

/**
 * An event is several transactions and changes. When it was not finished, the answer cannot say that nothing was done.
 */
function told(outcome: Outcome<Plan>): Outcome<Plan> {
  if (outcome.ok || !UNFINISHED.has(outcome.problem.code)) return outcome;
  const detail =
    'The sandbox could not finish the event, and may have done a part of it. Read the plan before you go on.';
  return refuse({ ...outcome.problem, detail });
}

const UNFINISHED: ReadonlySet<string> = new Set(['upstream-unavailable', 'nodes-disagree']);

const KINDS: Readonly<Record<string, FoundStep['step']['type']>> = {
  deposit: 'AWAIT_DEPOSIT',
  swap: 'EXECUTE_SWAP',
  payout: 'CUSTODIAN_PAYOUT',
  delivery: 'SEND_DIGITAL_COLLECT',
  collect: 'SEND_DIGITAL_COLLECT',
};

/** The event of a payout that an event is for a delivery. */
function deliveryOf(event: SimulatedEvent): PayoutEvent | undefined {
  return event === 'delivery.held' ? 'payout.held' : isOfPayout(event) ? event : undefined;
}

function isOfPayout(event: SimulatedEvent): event is PayoutEvent {
  return event.startsWith('payout.');
}

function isOfRecipient(event: SimulatedEvent): event is RecipientEvent {
  return event.startsWith('collect.');
}

function play(
  event: Exclude<SimulatedEvent, 'delivery.held' | RecipientEvent>,
  stage: Stage,
): Promise<Outcome<Plan>> {
  switch (event) {
    case 'deposit.exact':
    case 'deposit.partial':
    case 'deposit.over':
    case 'deposit.late':
    case 'deposit.dust':
    case 'deposit.otherToken':
      return playDeposit(event, stage);
    case 'swap.done':
      return playSwap(stage);
    case 'swap.reverted':
      return playRevertedSwap(stage);
    case 'swap.again':
      return playSecondSwap(stage);
    case 'payout.done':
    case 'payout.deducted':
    case 'payout.short':
    case 'payout.failed':
    case 'payout.returned':
    case 'payout.held':
      return playPayout(event, stage);
  }
}

async function playDeposit(
  event: Extract<SimulatedEvent, `deposit.${string}`>,
  stage: Stage,
): Promise<Outcome<Plan>> {
  const { parts, sandbox, acting, plan } = stage;
  const { scope } = acting;
  const { depositAddress, sender } = plan.options;
  if (depositAddress === undefined && event !== 'deposit.exact') {
    const detail = `event ${event} needs a plan with options.depositAddress: nothing else is watched.`;
    return refuse(invalidFields([{ pointer: '/event', detail }]));
  }
  const before = event === 'deposit.late' ? await expired(stage) : done(plan);
  if (!before.ok) return before;
  const given = await sandbox.faucet({
    address: depositAddress ?? sender ?? sandbox.accounts[0]?.address ?? '',
    token: event === 'deposit.otherToken' ? otherToken(stage) : plan.corridor.source.token,
    amount: amountOfEvent(event, plan),
  });
  if (!given.ok) return refuse(CHAIN_AWAY);
  if (depositAddress === undefined)
    return report(stage, {
      outcome: 'DONE',
      ...defined({ txHash: given.txHash }),
    });
  const compared = await compareUpToNow(parts, scope, before.value);
  if (!compared.ok) return compared;
  return done(await carriedOn(parts, scope, compared.value.plan));
}

function amountOfEvent(event: string, plan: Plan): bigint {
  const { amountIn } = plan;
  const dust = unitsOf(dustBelow(plan));
  const received = unitsOf(depositOf(plan).received);
  const expected = unitsOf(amountIn);
  const missing = expected > received ? expected - received : expected;
  // One unit where a plan has no dust, because its amount is so small.
  if (event === 'deposit.dust') return dust > 1n ? dust - 1n : 1n;
  if (event === 'deposit.partial') return missing > 1n ? missing / 2n : 1n;
  return event === 'deposit.over' ? missing + expected / 10n + 1n : missing;
}

/** A token that the chain's corridors use and that is not the one of the plan's deposit. */
function otherToken({ parts, plan }: Stage): Address {
  const { chainId, token } = plan.corridor.source;
  const sides = parts.corridors.list('ALL').flatMap(({ corridor }) => [corridor.source, corridor.target]);
  const other = sides.find((side) => side.chainId === chainId && side.token !== token);
  return other?.token ?? token;
}

/** Lets an open plan expire. Only this plan is changed; the sandbox's clock is not moved. */
async function expired({ parts, acting, plan }: Stage): Promise<Outcome<Plan>> {
  if (plan.ended !== undefined) return done(plan);
  const context = { actor: acting.actor, atMs: Math.max(parts.nowMs(), plan.expiresAtMs) };
  const event = { type: 'TIME_PASSED' } as const;
  const changed = await parts.store.payments.changePlan(acting.scope, plan.planId, event, context);
  if (!changed.ok) return refuse(CHAIN_AWAY);
  return done(changed.plan);
}

async function playSwap(stage: Stage): Promise<Outcome<Plan>> {
  const { sandbox, acting, parts } = stage;
  const fresh = await withFreshInstructions(stage);
  if (!fresh.ok) return fresh;
  const plan = fresh.value;
  const { source } = plan.corridor;
  // Each plan has its own account, so that plans that are simulated at the same time do not use each other's approvals.
  const from = plan.options.sender ?? accountOf(plan);
  if (!holdsDeposit(plan, from)) {
    const amount = unitsOf(plan.amountIn);
    const funded = await sandbox.faucet({ address: from, token: source.token, amount });
    if (!funded.ok) return refuse(CHAIN_AWAY);
  }
  const instructions = executableAttempt(plan)?.instructions ?? [];
  const [last] = instructions.slice(-1);
  const isSwap = source.token !== plan.corridor.target.token;
  // The instructions have no approvals without options.sender. USDT accepts a new approval only after one of zero.
  const approvals =
    last !== undefined && isSwap && plan.options.sender === undefined
      ? [0n, unitsOf(plan.amountIn)].map((amount) => approval(source.token, last.to, amount))
      : [];
  let txHash: `0x${string}` | undefined;
  for (const { to, data, value } of [...approvals, ...instructions]) {
    const sent = await sandbox.send({ from, to, data, value: BigInt(value) });
    if (!sent.ok) return refuse(CHAIN_AWAY);
    txHash = sent.txHash;
  }
  if (txHash === undefined) return nothingToExecute(stage, plan);
  const step = swapStep(plan);
  return reportOnStep(parts, acting, { plan, step }, { outcome: 'DONE', txHash });
}

function accountOf({ planId }: Plan): Address {
  return `0x${createHash('sha256').update(planId).digest('hex').slice(24)}`;
}

/** Whether the plan's deposit came to the account. It must not get more, which would count as a deposit, too. */
function holdsDeposit(plan: Plan, account: Address): boolean {
  const { depositAddress, sender } = plan.options;
  return (depositAddress ?? sender) === account && depositOf(plan).transfers.length > 0;
}

function approval(token: Address, spender: string, amount: bigint) {
  const args = [spender as Address, amount] as const;
  return {
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }),
    value: '0',
  };
}

/** The plan, with new instructions if the present ones have expired. */
async function withFreshInstructions({ parts, acting, plan, step }: Stage): Promise<Outcome<Plan>> {
  const open = executableAttempt(plan);
  const isReady = step.status === 'READY' && open !== undefined && open.notAfterMs > parts.nowMs();
  return isReady ? done(plan) : refreshStep(parts, acting, { plan, step }, {});
}

function nothingToExecute({ parts }: Stage, plan: Plan): Outcome<Plan> {
  const { detail = '' } = nextOf(plan, { nowMs: parts.nowMs() }, planWords(parts.chains)) ?? {};
  return refuse({ code: 'step-not-ready', detail: `There are no instructions to execute. ${detail}` });
}

/** Simulates a swap that is reverted: an account without funds sends the transaction. */
async function playRevertedSwap(stage: Stage): Promise<Outcome<Plan>> {
  const { sandbox, acting, parts } = stage;
  const fresh = await withFreshInstructions(stage);
  if (!fresh.ok) return fresh;
  const [last] = (executableAttempt(fresh.value)?.instructions ?? []).slice(-1);
  if (last === undefined) return nothingToExecute(stage, fresh.value);
  const from = `0x${randomBytes(20).toString('hex')}`;
  const sent = await sandbox.send({ from, to: last.to, data: last.data, value: BigInt(last.value) });
  if (!sent.ok) return refuse(CHAIN_AWAY);
  const failure = { code: 'REVERTED', detail: 'Simulated by the sandbox.' } as const;
  const reverted = { plan: fresh.value, step: swapStep(fresh.value) };
  return reportOnStep(parts, acting, reverted, { outcome: 'FAILED', txHash: sent.txHash, failure });
}

/** Simulates a second execution of the instructions that were executed, by an account of its own. */
async function playSecondSwap(stage: Stage): Promise<Outcome<Plan>> {
  const { parts, sandbox, acting, plan } = stage;
  const { source, target } = plan.corridor;
  const executed = swapStep(plan).attempts.find(({ outcome }) => outcome === 'EXECUTED');
  const [last] = (executed?.instructions ?? []).slice(-1);
  if (last === undefined || executed === undefined || executed.notAfterMs <= parts.nowMs()) {
    const detail = 'event swap.again needs a swap that is DONE and whose instructions have not expired.';
    return refuse({ code: 'step-not-ready', detail });
  }
  const from: Address = `0x${randomBytes(20).toString('hex')}`;
  const amount = unitsOf(plan.amountIn);
  const funded = await sandbox.faucet({ address: from, token: source.token, amount });
  if (!funded.ok) return refuse(CHAIN_AWAY);
  const approvals = source.token === target.token ? [] : [approval(source.token, last.to, amount)];
  for (const { to, data, value } of [...approvals, last]) {
    const sent = await sandbox.send({ from, to, data, value: BigInt(value) });
    if (!sent.ok) return refuse(CHAIN_AWAY);
  }
  const compared = await compareUpToNow(parts, acting.scope, plan);
  if (!compared.ok) return compared;
  // A plan whose swap is done waits for nothing: the transaction may be read a moment later.
  await allIsRead(stage);
  const again = await comparePlan(parts, acting.scope, compared.value.plan);
  return again.ok ? done(again.value.plan) : again;
}

/** Waits until the record has read all transactions of its blocks, or for a while. */
async function allIsRead({ parts, acting, plan }: Stage): Promise<void> {
  const key = { environment: acting.scope.environment, chainId: plan.corridor.source.chainId };
  for (let looks = 0; looks < 75; looks += 1) {
    const found = await parts.store.record.position(key);
    if (found.moment.unread === 0) return;
    await sleep(40);
  }
}
