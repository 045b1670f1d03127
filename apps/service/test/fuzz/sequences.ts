import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentPlan, PaymentStep } from '@fairway/wire';
import type fc from 'fast-check';
import { DESTINATIONS, otherCode } from '../collectCalls.ts';
import { damaged, type Json } from '../hostileValues.ts';
import { type Act, actsOf, sequencesOf } from './acts.ts';
import type { Answer } from './connection.ts';
import { emailOf, firstRoundOf, type Ground, type Organisation, plantedPayment } from './ground.ts';
import type { Request } from './request.ts';
import { type Ask, namesOthers, requestOf, shapeOf } from './requests.ts';
import type { FuzzedService } from './serviceProcess.ts';
import { type Trial, tryAsks } from './trial.ts';
import { createValues } from './values.ts';

/** What sequences run on. */
export type Stage = { readonly trial: Trial; readonly ground: Ground; readonly service: FuzzedService };

/** A plan of a sequence. */
type KnownPlan = { readonly owner: Organisation; readonly email: string; plan: PaymentPlan };

/**
 * What a sequence has kept beside plans: its ids by the parameters of paths. An endpoint also has the ids of its newest test.
 */
type KnownKept = { readonly owner: Organisation; readonly ids: Record<string, string> };
/** The parameters that name what is kept. */
const KEPT_PARAMS = ['recipientId', 'endpointId', 'reportId', 'eventId', 'statementId', 'entryId', 'name'];

/** What a sequence has done so far. */
type Story = {
  readonly stage: Stage;
  readonly plans: KnownPlan[];
  readonly kept: KnownKept[];
  readonly sent: Ask[];
};

/** Generates sequences for the operations of the description. */
export function createSequences(ground: Ground): fc.Arbitrary<readonly Act[]> {
  const valueOf = createValues(ground);
  const { operations } = ground.description;
  const named = (id: string) => operations.find((operation) => operation.id === id);
  const ofPlans = operations.filter(
    ({ id, params }) => OF_PLANS.some((name) => params.includes(name)) && id !== 'simulateStep',
  );
  const ofKeptOnes = operations.filter(({ params }) => params.some((name) => KEPT_PARAMS.includes(name)));
  const others = operations.filter(({ id, params }) => params.length === 0 && !STARTED_OTHERWISE.has(id));
  return sequencesOf(
    actsOf(
      ofPlans.map(({ id }) => id),
      ofKeptOnes.map(({ id }) => id),
      others.map(({ id }) => id),
      (id) => {
        const operation = named(id);
        if (operation === undefined) throw new Error(`There is no operation ${id}.`);
        return shapeOf(operation, valueOf).map(({ body }) => (body ?? undefined) as object | undefined);
      },
    ),
  );
}

/** The ids in paths that are of a plan, or of the first round of asking its recipient. */
const OF_PLANS = ['planId', 'collectRequestId'];

/** Operations that acts of their own ask for, and the clock, which whole journeys move. */
const STARTED_OTHERWISE = new Set(['createPayment', 'advanceClock']);

/** Plays a sequence. Rejects with what is wrong with an answer. */
export async function playSequence(stage: Stage, acts: readonly Act[]): Promise<void> {
  const { statementId, entryIds } = stage.ground.actorStatement;
  const ids = { statementId, entryId: entryIds[0] ?? '', name: 'bank' };
  const kept = [{ owner: stage.ground.actors[0], ids }];
  const story: Story = { stage, plans: [], kept, sent: [] };
  for (const act of acts) await play(story, act);
  // Plans that stay open would make the next sequences slow, because each of them is watched.
  for (const { owner, plan } of story.plans)
    if (plan.status !== 'ENDED')
      await send(story, {
        request: seenAt(plan, planRequest(owner, plan, '/end', { reason: 'ABANDONED', force: true })),
        marker: owner.marker,
      });
}

async function play(story: Story, act: Act): Promise<void> {
  switch (act.kind) {
    case 'TOGETHER':
      await Promise.all(act.acts.map((each) => play(story, each)));
      return;
    case 'CREATE':
      return create(story, act);
    case 'REPLAY': {
      const ask = story.sent.at(-1 - act.back);
      if (ask !== undefined) await send(story, ask);
      return;
    }
    case 'ASK':
      return askAround(story, act);
    case 'KEPT':
      return callKept(story, act);
    default: {
      const known = story.plans.at(-1 - act.plan);
      if (known === undefined) return;
      if (act.kind === 'SIMULATE') return simulate(story, known, act);
      return act.kind === 'CALL' ? callPlan(story, known, act) : fillIn(story, known, act);
    }
  }
}

/** Sends a request and judges its answer. A request that gave a plan must give the same plan again. */
async function send(story: Story, ask: Ask): Promise<Answer | undefined> {
  story.sent.push(ask);
  const [answer] = await tryAsks(story.stage.trial, [ask]);
  const given = answer?.status === 200 ? planIn(answer) : undefined;
  if (given === undefined) return answer;
  for (const known of story.plans) if (known.plan.planId === given.planId) known.plan = given;
  return answer;
}

function planIn({ headers, body }: Answer): PaymentPlan | undefined {
  if (!headers.get('content-type')?.startsWith('application/json')) return undefined;
  const value = JSON.parse(body.toString()) as Partial<PaymentPlan>;
  return value.planId !== undefined && value.steps !== undefined ? (value as PaymentPlan) : undefined;
}

let numbers = 0;

async function create(story: Story, act: Extract<Act, { kind: 'CREATE' }>): Promise<void> {
  const { ground } = story.stage;
  const owner = ground.actors[act.side];
  const number = (numbers += 1);
  const asked = plantedPayment(act.payment, owner.marker, `S-${number}`, number);
  const options = { ...asked.options, ...optionsOf(act.options) };
  const body = damaged({ ...asked, options } as unknown as Json, act.damage);
  const answer = await send(story, {
    request: jsonRequest(owner, '/v1/payments', body),
    marker: owner.marker,
  });
  const plan = answer?.status === 200 ? planIn(answer) : undefined;
  if (plan === undefined) return;
  const first = story.plans.find(
    (known) => known.owner === owner && known.plan.clientReference === plan.clientReference,
  );
  if (first !== undefined && first.plan.planId !== plan.planId)
    throw new Error(`The reference ${plan.clientReference} has two plans.`);
  story.plans.push({ owner, plan, email: emailOf(owner.marker, number) });
}

function optionsOf(options: Extract<Act, { kind: 'CREATE' }>['options']): object {
  const account = `0x${randomBytes(20).toString('hex')}`;
  if (options === 'DEPOSIT_ADDRESS') return { depositAddress: account };
  if (options === 'SENDER') return { sender: account, slippageBps: 100 };
  return options === 'FLOOR' ? { minAmountOut: '1000000000' } : {};
}

function jsonRequest({ authorization }: Organisation, target: string, body: Json | undefined): Request {
  const headers: [string, string][] = [['Authorization', authorization]];
  if (body === undefined) return { method: 'GET', target, headers };
  headers.push(['Content-Type', 'application/json']);
  return { method: 'POST', target, headers, body: Buffer.from(JSON.stringify(body)) };
}

function planRequest(
  asker: Organisation,
  { planId }: PaymentPlan,
  path: string,
  body: Json | undefined,
): Request {
  return jsonRequest(asker, `/v1/payments/${planId}${path}`, body);
}

/** A request of somebody who has seen the plan as it was answered last. */
function seenAt({ revision }: PaymentPlan, request: Request): Request {
  return { ...request, headers: [...request.headers, ['If-Match', `"${revision}"`]] };
}

/** A step by its place, or the first that is not done. */
function stepOf({ steps }: PaymentPlan, chosen: number | 'NEXT'): PaymentStep | undefined {
  if (chosen !== 'NEXT') return steps[chosen % steps.length];
  return steps.find(({ status }) => status !== 'DONE') ?? steps.at(-1);
}

async function simulate(
  story: Story,
  { owner, plan }: KnownPlan,
  { event, step }: Extract<Act, { kind: 'SIMULATE' }>,
): Promise<void> {
  const target = `/v1/sandbox/payments/${plan.planId}/steps/${stepOf(plan, step)?.stepId}/simulate`;
  await send(story, { request: jsonRequest(owner, target, { event }), marker: owner.marker });
}

async function callPlan(
  story: Story,
  { owner, plan }: KnownPlan,
  { operation: id, body, step, isForeign, damage }: Extract<Act, { kind: 'CALL' }>,
): Promise<void> {
  const { ground } = story.stage;
  const { operations } = ground.description;
  const operation = operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`There is no operation ${id}.`);
  const [one, other] = ground.actors;
  const asker = isForeign ? (owner === one ? other : one) : owner;
  const stepId = stepOf(plan, step)?.stepId ?? '';
  const params = { planId: plan.planId, collectRequestId: firstRoundOf(plan.planId), stepId };
  // Only the plan says which tokens it has.
  const { chainId, address } = plan.money.at(-1)?.asset ?? {};
  const own = id === 'recordRefund' && !isForeign ? { ...body, asset: { chainId, address } } : body;
  const sentBody = own === undefined ? undefined : damaged(own as Json, damage);
  const asked = requestOf({ operation, params, query: {}, body: sentBody }, asker);
  const request = id === 'endPayment' ? seenAt(plan, asked) : asked;
  const ask: Ask = { request, marker: asker.marker };
  await send(story, isForeign ? { ...ask, isRefused: true } : ask);
}

async function askAround(
  story: Story,
  { side, operation: id, body }: Extract<Act, { kind: 'ASK' }>,
): Promise<void> {
  const { ground } = story.stage;
  const operation = ground.description.operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`There is no operation ${id}.`);
  const asker = ground.actors[side];
  const [tokenIn = '', tokenOut = ''] = ground.tokens;
  const amount = '1000000000000000000';
  const trade = { chainId: ground.chainId, tokenIn, tokenOut, tradeType: 'EXACT_IN', amount };
  const input = id === 'getQuote' || (id === 'planSwap' && body === undefined) ? trade : body;
  const shape = { operation, params: {} };
  const request =
    operation.method === 'GET'
      ? requestOf({ ...shape, query: { ...input }, body: undefined }, asker)
      : requestOf({ ...shape, query: {}, body: input as Json }, asker);
  const answer = await send(story, { request, marker: asker.marker });
  const name = KEPT_BY[id];
  if (name === undefined || (answer?.status !== 201 && answer?.status !== 202)) return;
  const made = JSON.parse(answer.body.toString()) as Readonly<Record<string, string>>;
  story.kept.push({ owner: asker, ids: { [name]: made[name] ?? '' } });
}

/** The operations that save something, and the parameter that names it. */
const KEPT_BY: Readonly<Record<string, string>> = {
  createRecipient: 'recipientId',
  createWebhookEndpoint: 'endpointId',
  createReport: 'reportId',
};

async function callKept(
  story: Story,
  { operation: id, body, isForeign }: Extract<Act, { kind: 'KEPT' }>,
): Promise<void> {
  const { ground } = story.stage;
  const operation = ground.description.operations.find((each) => each.id === id);
  const of = KEPT_PARAMS.find((name) => operation?.params.includes(name)) ?? '';
  const known = story.kept.findLast(({ ids }) => of in ids);
  if (known === undefined || operation === undefined) return;
  const [one, other] = ground.actors;
  const isOfOther = isForeign && namesOthers(operation);
  const asker = isOfOther ? (known.owner === one ? other : one) : known.owner;
  const params = Object.fromEntries(operation.params.map((name) => [name, known.ids[name] ?? 'none']));
  const request = requestOf({ operation, params, query: {}, body: body as Json | undefined }, asker);
  const ask: Ask = { request, marker: asker.marker };
  const answer = await send(story, isOfOther ? { ...ask, isRefused: true } : ask);
  if (id !== 'testWebhookEndpoint' || answer?.status !== 200) return;
  Object.assign(known.ids, JSON.parse(answer.body.toString()));
  await untilPublished(known);
}

/** Waits until the event of a test is published. */
async function untilPublished({ owner, ids: { endpointId, deliveryId = '' } }: KnownKept): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { text } = await owner.ask(`/v1/webhook_endpoints/${endpointId}/deliveries`);
    if (text.includes(deliveryId)) return;
    await sleep(50);
  }
}

let visitors = 0;

async function fillIn(
  story: Story,
  known: KnownPlan,
  { form, destination, code, damage }: Extract<Act, { kind: 'FORM' }>,
): Promise<void> {
  const token = await mailed(story, known, /\/collect#([\w-]{43})(?![\w-])/);
  const fields: Record<string, Json> = { ...DESTINATION_FIELDS[destination], token: token ?? 'A'.repeat(43) };
  if (form === 'confirm' && code !== 'ABSENT') {
    const right = (await mailed(story, known, /^\s*(\d{6})\s*$/m)) ?? '123456';
    fields['code'] = code === 'RIGHT' ? right : otherCode(right);
  }
  const changed = damaged(fields, damage);
  const members = typeof changed === 'object' && changed !== null ? Object.entries(changed) : [];
  const pairs = members.map(([name, value]) => [
    name,
    typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value),
  ]);
  visitors += 1;
  const headers: [string, string][] = [
    ['X-Forwarded-For', `10.${(visitors >> 14) & 63}.${(visitors >> 6) & 255}.${visitors & 63}`],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ];
  const body = Buffer.from(new URLSearchParams(pairs as [string, string][]).toString());
  await send(story, {
    request: { method: 'POST', target: `/collect/${form}`, headers, body },
    marker: undefined,
  });
}

const DESTINATION_FIELDS = {
  BANK: DESTINATIONS.iban,
  OTHER_BANK: DESTINATIONS.otherIban,
  WALLET: { type: 'wallet', address: `0x${'ab'.repeat(20)}`, confirmed: 'yes' },
} as const;

/** How long a form waits for the e-mail that it needs. */
const MAIL_TRIES = 100;

/** The newest text that the recipient of a plan was mailed; undefined when the plan mails nothing. */
async function mailed(
  { stage }: Story,
  { plan, email }: KnownPlan,
  pattern: RegExp,
): Promise<string | undefined> {
  const isMailing = plan.steps.some(
    ({ type, status }) => type === 'SEND_DIGITAL_COLLECT' && status !== 'PENDING',
  );
  for (let tries = 0; tries < (isMailing ? MAIL_TRIES : 1); tries++) {
    for (const { to, text } of stage.service.mails.messages()) {
      const found = to === email ? pattern.exec(text)?.[1] : undefined;
      if (found === undefined) continue;
      stage.service.hideToken(found);
      return found;
    }
    await sleep(10);
  }
  return undefined;
}
