import type { AskNode, Random } from '@fairway/testing';
import type { Caller, Reply } from '../paymentCalls.ts';
import type { Acknowledged, PromisedEvent, Ledger } from './ledger.ts';
import type { Mailroom } from './mailroom.ts';

/** What a load uses: callers of each organisation and collect pages, one of each for each running service. */
export type LoadTarget = {
  readonly random: Random;
  readonly ledger: Ledger;
  /** `callers[organisation][service]`; the first service is the one with the sandbox. */
  readonly callers: readonly (readonly Caller[])[];
  readonly pages: readonly string[];
  readonly mailroom: Mailroom;
  readonly node: AskNode;
};

/** An answer, of the API or of a page. */
export type Answered = Pick<Reply, 'status' | 'text'>;
/** Records an answer. */
export type Told = (answer: Answered) => void;

/** Asks for the present state of a plan. */
export function refresh(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  return say(target, known, `/v1/payments/${known.plan.planId}`, undefined, told);
}

/** Sends a request about a plan to any of the services. `promised`: what its answer of 200 acknowledges. */
export async function say(
  { random, ledger, callers }: LoadTarget,
  known: Acknowledged,
  path: string,
  body: object | undefined,
  told: Told,
  promised?: PromisedEvent,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const reply = await random.pick(callers[known.organisation] ?? [])(path, body, undefined, headers);
  told(reply);
  if (reply.status === 200) ledger.acknowledge(known, reply.body, promised);
}

/** Simulates an event, which only the service with the sandbox can do. */
export async function simulate(
  target: LoadTarget,
  known: Acknowledged,
  step: string,
  event: string,
  told: Told,
): Promise<void> {
  const [caller] = target.callers[known.organisation] ?? [];
  const reply = await caller?.(step.replace('/v1/', '/v1/sandbox/').concat('/simulate'), { event });
  if (reply === undefined) return;
  told(reply);
  if (reply.status === 200) target.ledger.acknowledge(known, reply.body);
}
