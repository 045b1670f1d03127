import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@fairway/testing';
import type { PaymentStep } from '@fairway/wire';
import { freshAccount, payment, RECIPIENT_KINDS } from '../paymentCalls.ts';
import { type Answered, type LoadTarget, refresh, say, simulate, type Told } from './asking.ts';
import { collect, freshAddress } from './collectLoad.ts';
import { cancel, close, payAgain, refund, reportPayout, submitExecution, takeBack } from './endings.ts';
import type { Acknowledged, Ledger, Sent } from './ledger.ts';
import { payWallet } from './walletPayments.ts';

/** A running load. It also stops when one of its callers fails; `stop` then rejects with that failure. */
export type Load = { stop(): Promise<void>; readonly answers: Map<number, number> };

const WORKERS = 7;
/** Callers that take plans to an account or a wallet from the deposit to the payout, and on after it. */
const PAYERS = 3;
/** Callers that take collecting plans from the deposit to the delivery. */
const COLLECTORS = 5;

/** Starts callers that make plans, repeat requests, carry plans on and cancel them, until stopped. */
export function startLoad(target: LoadTarget): Load {
  const answers = new Map<number, number>();
  const stopping = new AbortController();
  const failures: unknown[] = [];
  const told: Told = (answer) => count(target.ledger, answers, answer);
  const worker = async (work: typeof doSomething) => {
    while (!stopping.signal.aborted) {
      try {
        await work(target, told);
      } catch (error) {
        if (isNoAnswer(error)) await sleep(20);
        else {
          failures.push(error);
          stopping.abort();
        }
      }
    }
  };
  const workers = [
    ...Array.from({ length: WORKERS }, () => worker(doSomething)),
    ...Array.from({ length: PAYERS }, () => worker(pursuePaying)),
    ...Array.from({ length: COLLECTORS }, () => worker(pursueCollecting)),
  ];
  return {
    answers,
    async stop() {
      stopping.abort();
      await Promise.all(workers);
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Whether a request failed without a whole answer: the connection was refused or broke, or the answer was cut short. */
function isNoAnswer(error: unknown): boolean {
  return error instanceof TypeError || error instanceof SyntaxError;
}

function count({ findings }: Ledger, answers: Map<number, number>, { status, text }: Answered): void {
  answers.set(status, (answers.get(status) ?? 0) + 1);
  if (status === 500) findings.push(`A request was answered with an unexpected error: ${text}`);
}

async function doSomething(target: LoadTarget, told: Told): Promise<void> {
  const { random, ledger } = target;
  const dice = random.integer(1, 100);
  const plans = [...ledger.plans.values()].slice(-60);
  if (dice <= 40 || plans.length === 0) return create(target, newRequest(target), told);
  if (dice <= 55) return create(target, random.pick(ledger.sent.slice(-60)), told);
  const known = random.pick(plans);
  if (dice <= 82) return moveOn(target, known, told);
  if (dice <= 85) return refund(target, known, told);
  if (dice <= 89) return close(target, known, told);
  if (dice <= 92) return cancel(target, known, told);
  if (dice <= 96) {
    const caller = random.pick(target.callers[known.organisation] ?? []);
    told(await caller(`/v1/payments/${known.plan.planId}/recipient/reveal`, {}));
    return;
  }
  return refresh(target, known, told);
}

/** How many steps a plan makes in a row, so that some plans get far. */
const MOVES = 5;

async function pursuePaying(target: LoadTarget, told: Told): Promise<void> {
  const { random, ledger } = target;
  const plans = [...ledger.plans.values()].filter(
    ({ plan: { mode, status } }) => mode === 'STANDARD' && !OVER.includes(status),
  );
  const due = plans.filter(({ plan }) => plan.steps[1]?.status === 'DONE').slice(-STOCK);
  // A plan that was paid can still come back, so that it is chosen, too.
  const chosen = random.pick([due, due, plans.slice(-STOCK)]);
  if (chosen.length === 0) return create(target, newRequest(target), told);
  const { plan } = random.pick(chosen);
  for (let moves = 0; moves < MOVES; moves++) {
    const known = ledger.plans.get(plan.planId);
    if (known !== undefined) await moveOn(target, known, told);
  }
  const known = ledger.plans.get(plan.planId);
  if (known === undefined || random.integer(1, 3) > 1) return;
  return random.pick([refund, close])(target, known, told);
}

/** The statuses in which nothing more happens to a plan. */
const OVER = ['ENDED'];

async function pursueCollecting(target: LoadTarget, told: Told): Promise<void> {
  const { random, ledger } = target;
  const plans = [...ledger.plans.values()].filter(({ plan }) => plan.mode === 'DIGITAL_COLLECT');
  const begun = plans.filter(({ plan }) => plan.steps.at(-1)?.status !== 'PENDING');
  const open = begun
    .filter(({ plan: { status } }) => status !== 'COMPLETED' && !OVER.includes(status))
    .slice(-STOCK);
  const waiting = plans.filter((known) => !begun.includes(known)).slice(-STOCK);
  // Older plans are chosen, too, because a link can be sent again only a minute after it was made.
  const chosen = random.pick([open, open, open, begun, waiting, waiting]);
  if (chosen.length === 0) return create(target, newRequest(target, 'email'), told);
  const { plan } = random.pick(chosen);
  for (let moves = 0; moves < MOVES; moves++) {
    const known = ledger.plans.get(plan.planId);
    if (known !== undefined) await moveOn(target, known, told);
  }
}

/** Collecting plans that are open at the same time. */
const STOCK = 6;

/** The kinds of recipients whose plans are prepared. */
const PREPARED = [
  ...Array.from({ length: STOCK }, () => 'email' as const),
  'bank',
  'iban',
  'emoney',
  'wallet',
] as const;

/**
 * Takes some plans to the point where their links are mailed or their payouts are due. It does so before anything is
 * killed, because the chain needs a while for that.
 */
export async function preparePlans(target: LoadTarget): Promise<void> {
  const told: Told = () => {};
  const prepare = async (kind: (typeof PREPARED)[number]) => {
    const sent = newRequest(target, kind);
    await create(target, sent, told);
    const find = () =>
      [...target.ledger.plans.values()].find(
        ({ asked }) => asked.clientReference === sent.asked.clientReference,
      );
    for (const [index, event] of ['deposit.exact', 'swap.done'].entries()) {
      const known = find();
      if (known === undefined) return;
      const step = `/v1/payments/${known.plan.planId}/steps/${known.plan.steps[index]?.stepId}`;
      await simulate(target, known, step, event, told);
    }
  };
  await Promise.all(PREPARED.map(prepare));
}

let references = 0;

function newRequest({ random, ledger, callers }: LoadTarget, kind = random.pick(RECIPIENT_KINDS)): Sent {
  const organisation = random.integer(0, callers.length - 1);
  const to = { type: 'email', email: freshAddress(), name: 'Orla Finch' };
  const changes = kind === 'email' ? { recipient: to } : {};
  const asked = payment(kind, `crash ${(references += 1)}`, changes);
  const options =
    random.integer(0, 1) === 0 ? asked.options : { ...asked.options, depositAddress: freshAccount() };
  const sent = { organisation, asked: { ...asked, options, metadata: { number: String(references) } } };
  ledger.send(sent);
  return sent;
}

/** Sends a request, sometimes twice at once, to different services if there are two. */
async function create({ random, ledger, callers }: LoadTarget, sent: Sent, told: Told): Promise<void> {
  const own = callers[sent.organisation] ?? [];
  const asked = random.integer(1, 3) === 1 ? [...own, random.pick(own)] : [random.pick(own)];
  const replies = await Promise.allSettled(asked.map((caller) => caller('/v1/payments', sent.asked)));
  for (const reply of replies) {
    if (reply.status === 'rejected') {
      if (!isNoAnswer(reply.reason)) throw reply.reason;
      continue;
    }
    told(reply.value);
    if (reply.value.status === 200) ledger.acknowledge(sent, reply.value.body);
    else if (![409, 503].includes(reply.value.status))
      ledger.findings.push(`A good request was refused: ${reply.value.text}`);
  }
}

/** Does the next action of the plan, if this load can do it. */
async function moveOn(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  const step = known.plan.steps.find(({ status }) => status !== 'DONE') ?? known.plan.steps.at(-1);
  if (step === undefined) return;
  const own = `/v1/payments/${known.plan.planId}/steps/${step.stepId}`;
  if (step.type === 'SEND_DIGITAL_COLLECT') return collect(target, known, told);
  if (step.type === 'CUSTODIAN_PAYOUT') return pay(target, known, step, told);
  const again = () => say(target, known, `/v1/payments/${known.plan.planId}/again`, {}, told);
  if (step.status === 'FAILED') return again();
  const dice = target.random.integer(1, 8);
  if (step.type === 'EXECUTE_SWAP' && dice <= 2) return again();
  if (step.type === 'EXECUTE_SWAP' && dice === 3) return submitExecution(target, known, step, told);
  return simulate(target, known, own, eventOf(target.random, step), told);
}

/** Pays the recipient, reports that somebody did, or has a payout that failed or came back made again. */
function pay(target: LoadTarget, known: Acknowledged, step: PaymentStep, told: Told): Promise<void> {
  const { planId, status, recipient } = known.plan;
  if (status === 'RETURNED' || step.status === 'FAILED') return payAgain(target, known, told);
  const isToWallet = recipient.type === 'wallet';
  const dice = target.random.integer(1, 12);
  if (!isToWallet && dice <= 2) return takeBack(target, known, step, told);
  if (!isToWallet && dice <= 8) return reportPayout(target, known, step, told);
  if (isToWallet && dice <= 7) return payWallet(target, known, step, told);
  const event = target.random.pick(['payout.done', 'payout.done', 'payout.failed', 'payout.returned']);
  return simulate(target, known, `/v1/payments/${planId}/steps/${step.stepId}`, event, told);
}

const DEPOSITS = [
  ...(['deposit.exact', 'deposit.exact', 'deposit.exact', 'deposit.over'] as const),
  ...(['deposit.partial', 'deposit.dust', 'deposit.otherToken'] as const),
];
const SWAPS = ['swap.done', 'swap.done', 'swap.done', 'swap.reverted', 'swap.again'] as const;

function eventOf(random: Random, { type }: PaymentStep): string {
  return type === 'AWAIT_DEPOSIT' ? random.pick(DEPOSITS) : random.pick(SWAPS);
}
