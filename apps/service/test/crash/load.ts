import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@fairway/testing';
import type { PaymentPlan, PaymentStep } from '@fairway/wire';
import { type Caller, freshAccount, payment, RECIPIENT_KINDS, type Reply } from '../paymentCalls.ts';
import type { Acknowledged, Ledger, Sent } from './ledger.ts';

/** What load is put on: the callers of each organisation, one for each running service. */
export type LoadTarget = {
  readonly random: Random;
  readonly ledger: Ledger;
  /** `callers[organisation][service]`; the first service is the one with the sandbox. */
  readonly callers: readonly (readonly Caller[])[];
};

/** Load that is under way. */
export type Load = { stop(): Promise<void>; readonly answers: Map<number, number> };

const WORKERS = 12;

/** Starts callers that ask for plans, repeat themselves, move plans on and cancel them, until stopped. */
export function startLoad(target: LoadTarget): Load {
  const answers = new Map<number, number>();
  const stopping = new AbortController();
  const worker = async () => {
    while (!stopping.signal.aborted) {
      try {
        await doSomething(target, (reply) => count(target.ledger, answers, reply));
      } catch (error) {
        if (!isNoAnswer(error)) throw error;
        await sleep(20);
      }
    }
  };
  const workers = Array.from({ length: WORKERS }, worker);
  return {
    answers,
    async stop() {
      stopping.abort();
      await Promise.all(workers);
    },
  };
}

/** Whether a request got no whole answer: refused, cut off, or cut short. */
function isNoAnswer(error: unknown): boolean {
  return error instanceof TypeError || error instanceof SyntaxError;
}

function count({ findings }: Ledger, answers: Map<number, number>, { status, text }: Reply): void {
  answers.set(status, (answers.get(status) ?? 0) + 1);
  if (status === 500) findings.push(`A request was answered with an unexpected error: ${text}`);
}

type Told = (reply: Reply) => void;

async function doSomething(target: LoadTarget, told: Told): Promise<void> {
  const { random, ledger } = target;
  const dice = random.integer(1, 100);
  const plans = [...ledger.plans.values()].slice(-60);
  if (dice <= 40 || plans.length === 0) return create(target, newRequest(target), told);
  if (dice <= 55) return create(target, random.pick(ledger.sent.slice(-60)), told);
  const known = random.pick(plans);
  if (dice <= 85) return moveOn(target, known, told);
  if (dice <= 92) return say(target, known, `/v1/payments/${known.plan.planId}/cancel`, {}, told);
  if (dice <= 96) {
    const caller = random.pick(target.callers[known.organisation] ?? []);
    told(await caller(`/v1/payments/${known.plan.planId}/recipient/reveal`, {}));
    return;
  }
  return say(target, known, `/v1/payments/${known.plan.planId}`, undefined, told);
}

let references = 0;

function newRequest({ random, ledger, callers }: LoadTarget): Sent {
  const organisation = random.integer(0, callers.length - 1);
  const asked = payment(random.pick(RECIPIENT_KINDS), `crash ${(references += 1)}`);
  const options =
    random.integer(0, 1) === 0 ? asked.options : { ...asked.options, depositAddress: freshAccount() };
  const sent = { organisation, asked: { ...asked, options, metadata: { number: String(references) } } };
  ledger.send(sent);
  return sent;
}

/** Sometimes twice at once, to different services where there are two. */
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

/** Does what the plan waits for, as far as it is known here. */
async function moveOn(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  const step = known.plan.steps.find(({ status }) => status !== 'DONE') ?? known.plan.steps.at(-1);
  if (step === undefined) return;
  const own = `/v1/payments/${known.plan.planId}/steps/${step.stepId}`;
  if (step.status === 'FAILED') return say(target, known, `${own}/retry`, {}, told);
  if (step.type === 'EXECUTE_SWAP' && target.random.integer(1, 4) === 1)
    return say(target, known, `${own}/refresh`, {}, told);
  if (step.type === 'CUSTODIAN_PAYOUT' && target.random.integer(1, 2) === 1)
    return say(target, known, `${own}/reports`, reportOf(target, known.plan), told);
  const event = eventOf(target.random, step);
  if (event === undefined) return;
  // Only the service with the sandbox plays.
  const [caller] = target.callers[known.organisation] ?? [];
  const reply = await caller?.(own.replace('/v1/', '/v1/sandbox/').concat('/simulate'), { event });
  if (reply === undefined) return;
  told(reply);
  if (reply.status === 200) target.ledger.acknowledge(known, reply.body);
}

function reportOf({ random }: LoadTarget, { planId }: PaymentPlan): object {
  const providerReference = `PAID ${planId.slice(-12)}`;
  return random.pick([
    { outcome: 'DONE', providerReference },
    { outcome: 'FAILED', failure: { code: 'ACCOUNT_NOT_FOUND' } },
    { outcome: 'RETURNED', providerReference },
  ]);
}

function eventOf(random: Random, { type }: PaymentStep): string | undefined {
  if (type === 'AWAIT_DEPOSIT') return random.pick(['deposit.exact', 'deposit.exact', 'deposit.over']);
  if (type === 'EXECUTE_SWAP') return random.pick(['swap.done', 'swap.done', 'swap.reverted']);
  return type === 'CUSTODIAN_PAYOUT' ? 'payout.done' : undefined;
}

async function say(
  { random, ledger, callers }: LoadTarget,
  known: Acknowledged,
  path: string,
  body: object | undefined,
  told: Told,
): Promise<void> {
  const reply = await random.pick(callers[known.organisation] ?? [])(path, body);
  told(reply);
  if (reply.status === 200) ledger.acknowledge(known, reply.body);
}
