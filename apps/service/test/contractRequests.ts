import assert from 'node:assert/strict';
import { collectToWallet } from './collectForms.ts';
import { postOf, type TestService } from './harness.ts';
import { camtOf } from './statementsHarness.ts';
import { NATIVE_TOKEN } from './wallet.ts';

/** Values as the parameters of a query string. */
export const queryOf = (values: Record<string, unknown>) =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** The parts of a plan that requests are made of. */
export type Plan = { planId: string; steps: { stepId: string }[] };

type Request = [path: string, init?: RequestInit];

/** Requests that a sandbox answers as the OpenAPI document says. */
export type ContractRequests = Awaited<ReturnType<typeof contractRequests>>;

const BODYLESS = { method: 'POST' };
const DEPOSITED: [number, object] = [0, { outcome: 'DONE' }];
const STEPS_PATH = '/v1/payments/PLAN/steps';

/** What requests are made on: a sandbox, and a token that it trades. */
type Ground = { readonly service: TestService; readonly dai: string };

type Requests = Record<string, () => Request | Promise<Request>>;

const trade = ({ service, dai }: Ground) => ({
  chainId: service.chainId,
  tokenIn: NATIVE_TOKEN,
  tokenOut: dai,
  tradeType: 'EXACT_IN',
  amount: '1000000000000000000',
});

let references = 0;
const payment = ({ chainId }: TestService, changes: object = {}) => ({
  clientReference: `doc-${(references += 1)}`,
  corridorId: 'usdc-wallet',
  amountIn: '1000000',
  recipient: { type: 'wallet', chainId, address: `0x${'ab'.repeat(20)}` },
  options: { mode: 'STANDARD' },
  ...changes,
});

/** A path below a new plan; `acts` happen to its steps first. */
async function ofPlan(
  service: TestService,
  path: string,
  ...acts: [step: number, report: object][]
): Promise<string> {
  const { planId, steps } = await service.ask<Plan>('/v1/payments', payment(service));
  const stepPath = (step: number) => `/v1/payments/${planId}/steps/${steps[step]?.stepId}`;
  for (const [step, report] of acts) await service.ask(`${stepPath(step)}/reports`, report);
  return path.replace('PLAN', planId).replace(/STEP_(\d)/, (_, step) => steps[Number(step)]?.stepId ?? '');
}

/** A path below a new plan whose payout failed. */
async function ofFailed(service: TestService, path: string): Promise<string> {
  const { planId, steps } = await service.ask<Plan>('/v1/payments', payment(service));
  const ofStep = (step: number) => `payments/${planId}/steps/${steps[step]?.stepId}`;
  for (const [step, event] of ['deposit.exact', 'swap.done', 'payout.failed'].entries())
    await service.ask(`/v1/sandbox/${ofStep(step)}/simulate`, { event });
  return path.replace('PLAN', planId);
}

/** The token of the deposits of plans. */
async function refundable(service: TestService): Promise<object> {
  const { funds } = await service.ask<{ funds: { asset: object }[] }>('/v1/payments', payment(service));
  return funds[0]?.asset ?? assert.fail();
}

/** A path below a new plan whose recipient was e-mailed a link, more than a minute ago. */
async function ofLinked(service: TestService, path: string, email = 'jo@example.com'): Promise<string> {
  const asked = payment(service, {
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email },
    options: { mode: 'DIGITAL_COLLECT' },
  });
  const { planId, steps } = await service.ask<Plan>('/v1/payments', asked);
  for (const [step, event] of ['deposit.exact', 'swap.done'].entries())
    await service.ask(`/v1/sandbox/payments/${planId}/steps/${steps[step]?.stepId}/simulate`, { event });
  await service.ask('/v1/sandbox/clock', { advance: 'PT61S' });
  return path.replace('PLAN', planId);
}

/** The path of the first round of the plan in a path. */
const ofRound = (path: string) => `/v1/collect_requests/clr_${/plan_([0-9a-f]{32})/.exec(path)?.[1]}00000001`;

/** A path below a new plan whose recipient has chosen a wallet. */
async function ofSubmitted(service: TestService, path: string): Promise<string> {
  const email = `jo-${(references += 1)}@example.com`;
  const filled = await ofLinked(service, path, email);
  await collectToWallet(service, email, `0x${'ab'.repeat(20)}`);
  return filled;
}

/** An account at a bank, another one each time. */
const bank = () => ({
  ...{ type: 'bank', name: 'Jo Citizen', country: 'AU' },
  account: { bsb: '062-000', accountNumber: String(100_000 + (references += 1)) },
});

/** A path below a new registered recipient. */
async function ofRecipient(service: TestService, path: string): Promise<string> {
  const { recipientId } = await service.ask<{ recipientId: string }>('/v1/recipients', {
    recipient: bank(),
    label: 'Rent',
  });
  return `/v1/recipients/${recipientId}${path}`;
}

const HOOKS = '/v1/webhook_endpoints';
const hook = () => ({ url: 'http://127.0.0.1:9999/hooks', types: ['webhook_endpoint.*'] });

/** A path below a new webhook endpoint. There may be few, so that the one before is deleted. */
async function ofEndpoint(service: TestService, path: string): Promise<string> {
  await deleteEndpoints(service);
  const { endpointId } = await service.ask<{ endpointId: string }>(HOOKS, hook());
  return `${HOOKS}/${endpointId}${path}`;
}

async function deleteEndpoints(service: TestService): Promise<void> {
  const { data } = await service.ask<{ data: { endpointId: string }[] }>(HOOKS);
  for (const { endpointId } of data) await service.request(`${HOOKS}/${endpointId}`, { method: 'DELETE' });
}

/** A path below a webhook endpoint that was tried, with the event, which is published by then. */
async function ofTested(
  service: TestService,
): Promise<{ path: string; eventId: string; deliveryId: string }> {
  const path = await ofEndpoint(service, '');
  const tested = await service.ask<{ eventId: string; deliveryId: string }>(`${path}/test`, {});
  for (let tries = 0; tries < 200; tries += 1) {
    const { data } = await service.ask<{ data: { deliveryId: string }[] }>(`${path}/deliveries`);
    if (data.some(({ deliveryId }) => deliveryId === tested.deliveryId)) return { path, ...tested };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The event was not published.');
}

function webhookRequests({ service }: Ground): Requests {
  const at = `${HOOKS}/{endpointId}`;
  return {
    [`post ${HOOKS}`]: async () => {
      await deleteEndpoints(service);
      return [HOOKS, postOf(hook())];
    },
    [`get ${HOOKS}`]: async () => {
      await ofEndpoint(service, '');
      return [HOOKS];
    },
    [`get ${at}`]: async () => [await ofEndpoint(service, '')],
    [`patch ${at}`]: async () => [
      await ofEndpoint(service, ''),
      { ...postOf({ description: 'Ours', types: ['*'], headers: { a: 'b' } }), method: 'PATCH' },
    ],
    [`delete ${at}`]: async () => [await ofEndpoint(service, ''), { method: 'DELETE' }],
    [`post ${at}/rotate-secret`]: async () => [
      await ofEndpoint(service, '/rotate-secret'),
      postOf({ overlap: 'PT1H' }),
    ],
    [`post ${at}/enable`]: async () => [await ofEndpoint(service, '/enable'), BODYLESS],
    [`post ${at}/test`]: async () => [await ofEndpoint(service, '/test'), BODYLESS],
    [`post ${at}/recover`]: async () => [
      await ofEndpoint(service, '/recover'),
      postOf({ since: '2026-01-01T00:00:00Z', only: 'ALL' }),
    ],
    [`get ${at}/deliveries`]: async () => [`${(await ofTested(service)).path}/deliveries?limit=5`],
    [`post ${at}/deliveries/{deliveryId}/resend`]: async () => {
      const { path, deliveryId } = await ofTested(service);
      return [`${path}/deliveries/${deliveryId}/resend`, BODYLESS];
    },
    'post /v1/events/{eventId}/resend': async () => [
      `/v1/events/${(await ofTested(service)).eventId}/resend`,
      postOf({}),
    ],
  };
}

function otherRequests(ground: Ground): Requests {
  const { service } = ground;
  return {
    'get /health': () => ['/health'],
    'get /livez': () => ['/livez'],
    'get /readyz': () => ['/readyz'],
    'get /v1/markets/chains': () => ['/v1/markets/chains'],
    'get /v1/markets/tokens': () => ['/v1/markets/tokens'],
    'get /v1/markets/routers': () => ['/v1/markets/routers'],
    'get /v1/markets/corridors': () => ['/v1/markets/corridors'],
    'get /v1/markets/corridors/{corridorId}/requirements': () => [
      '/v1/markets/corridors/usdc-aud-bank/requirements?recipientType=bank',
    ],
    'get /v1/events': () => ['/v1/events?limit=5&type=payment_plan.*'],
    'get /v1/quote': () => [`/v1/quote?${queryOf(trade(ground))}`],
    'post /v1/swap': () => ['/v1/swap', postOf({ ...trade(ground), sender: `0x${'ab'.repeat(20)}` })],
    'get /v1/sandbox/mailbox': async () => [await ofSubmitted(service, '/v1/sandbox/mailbox')],
    'get /v1/sandbox': () => ['/v1/sandbox'],
    'post /v1/sandbox/clock': () => ['/v1/sandbox/clock', postOf({ advance: 'PT1S' })],
    'post /v1/sandbox/faucet': () => [
      '/v1/sandbox/faucet',
      postOf({ address: `0x${'ab'.repeat(20)}`, native: true, amount: '1' }),
    ],
  };
}

function paymentRequests({ service }: Ground): Requests {
  return {
    'get /v1/payments': () => ['/v1/payments?limit=5'],
    'post /v1/payments': () => ['/v1/payments', postOf(payment(service))],
    'get /v1/payments/{planId}': async () => [await ofPlan(service, '/v1/payments/PLAN')],
    'get /v1/payments/{planId}/events': async () => [await ofPlan(service, '/v1/payments/PLAN/events')],
    'get /v1/payments/{planId}/movements': async () => [
      await ofPlan(service, '/v1/payments/PLAN/movements', DEPOSITED),
    ],
    'post /v1/payments/{planId}/approve': async () => [
      await ofPlan(service, '/v1/payments/PLAN/approve'),
      postOf({ version: 1 }),
    ],
    'post /v1/payments/{planId}/end': async () => [
      await ofPlan(service, '/v1/payments/PLAN/end'),
      postOf({ reason: 'ABANDONED', note: 'Nobody paid.', force: false }, { 'if-match': '"1"' }),
    ],
    'post /v1/payments/{planId}/refunds': async () => [
      await ofPlan(service, '/v1/payments/PLAN/refunds', DEPOSITED),
      postOf({
        providerReference: `RF-${(references += 1)}`,
        amount: '12',
        asset: await refundable(service),
        occurredAt: '2026-01-01T00:00:00Z',
      }),
    ],
    'post /v1/payments/{planId}/again': async () => [
      await ofFailed(service, '/v1/payments/PLAN/again'),
      postOf({ recipient: { ...payment(service).recipient, address: `0x${'ac'.repeat(20)}` } }),
    ],
    'post /v1/payments/{planId}/recipient/reveal': async () => [
      await ofPlan(service, '/v1/payments/PLAN/recipient/reveal'),
      BODYLESS,
    ],
    'post /v1/payments/{planId}/steps/{stepId}/reports': async () => [
      await ofPlan(service, `${STEPS_PATH}/STEP_0/reports`),
      postOf({ outcome: 'DONE', occurredAt: '2026-01-01T00:00:00Z', amount: '1000000' }),
    ],
    'post /v1/sandbox/payments/{planId}/steps/{stepId}/simulate': async () => [
      await ofPlan(service, '/v1/sandbox/payments/PLAN/steps/STEP_0/simulate'),
      postOf({ event: 'deposit.exact' }),
    ],
  };
}

function roundRequests({ service }: Ground): Requests {
  const at = '/v1/collect_requests/{collectRequestId}';
  return {
    'get /v1/collect_requests': async () => {
      await ofLinked(service, 'PLAN', 'jo.listed@example.com');
      return ['/v1/collect_requests?limit=5&email=jo.listed@example.com'];
    },
    [`get ${at}`]: async () => [ofRound(await ofLinked(service, 'PLAN'))],
  };
}

function recipientRequests({ service }: Ground): Requests {
  return {
    'post /v1/recipients': () => ['/v1/recipients', postOf({ recipient: bank(), label: 'Rent' })],
    'get /v1/recipients': async () => {
      await ofRecipient(service, '');
      return ['/v1/recipients?limit=5&status=ACTIVE&type=bank&country=AU&q=re'];
    },
    'post /v1/recipients/validate': () => [
      '/v1/recipients/validate',
      postOf({ recipient: bank(), corridorId: 'usdc-aud-bank' }),
    ],
    'get /v1/recipients/{recipientId}': async () => [await ofRecipient(service, '')],
    'patch /v1/recipients/{recipientId}': async () => [
      await ofRecipient(service, ''),
      { ...postOf({ recipient: bank(), label: null, metadata: { a: 'b' } }), method: 'PATCH' },
    ],
    'delete /v1/recipients/{recipientId}': async () => [await ofRecipient(service, ''), { method: 'DELETE' }],
    'get /v1/recipients/{recipientId}/versions': async () => [
      await ofRecipient(service, '/versions?limit=5'),
    ],
    'post /v1/recipients/{recipientId}/reveal': async () => [await ofRecipient(service, '/reveal'), BODYLESS],
    'post /v1/recipients/{recipientId}/erase': async () => {
      const path = await ofRecipient(service, '');
      await service.request(path, { method: 'DELETE' });
      return [`${path}/erase`, BODYLESS];
    },
    'post /v1/recipients/{recipientId}/approve': async () => [
      await ofRecipient(service, '/approve'),
      postOf({ version: 1 }),
    ],
    'post /v1/recipients/{recipientId}/reject': async () => [
      await ofRecipient(service, '/reject'),
      postOf({ version: 1 }),
    ],
    'put /v1/recipients/{recipientId}/verification': async () => [
      await ofRecipient(service, '/verification'),
      {
        ...postOf({
          ...{ provider: 'Check', result: 'MATCH' },
          ...{ checkedAt: '2026-01-01T00:00:00Z', reference: 'V-1' },
        }),
        method: 'PUT',
      },
    ],
  };
}

/** The first month of a year, which is over. */
const PERIOD = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };

const REPORT = { type: 'movements', format: 'csv', ...PERIOD };

/** The id of a new report. */
async function ofReport(service: TestService): Promise<string> {
  return (await service.ask<{ reportId: string }>('/v1/reports', REPORT)).reportId;
}

function reportRequests({ service }: Ground): Requests {
  return {
    'post /v1/reports': () => [
      '/v1/reports',
      postOf({ ...REPORT, timezone: 'UTC', columns: ['amount'], filter: { kind: 'PAYOUT' } }),
    ],
    'get /v1/reports': async () => {
      await ofReport(service);
      return ['/v1/reports?limit=5'];
    },
    'get /v1/reports/{reportId}': async () => [`/v1/reports/${await ofReport(service)}`],
  };
}

let statements = 0;

/** A statement and one of its entries, which is nothing that the ledger knows. */
async function ofStatement(
  service: TestService,
): Promise<{ readonly statementId: string; readonly entryId: string }> {
  const bookings = [{ amount: '-12.50', reference: `contract-${(statements += 1)}` }];
  const init = { method: 'POST', headers: XML, body: camtOf({ bookings }) };
  const { body } = await service.request('/v1/reconciliation/statements', init);
  const { statementId } = body as { statementId: string };
  const path = `/v1/reconciliation/statements/${statementId}/entries`;
  const { data } = (await service.request(path)).body as { data: { entryId: string }[] };
  return { statementId, entryId: data[0]?.entryId ?? '' };
}

const XML = { 'content-type': 'application/xml' };
const MAP = { account: 'AU1', currency: 'AUD', columns: { bookedOn: 'Day', amount: 'Amount' } };
/** The beginning of a CSV file. */
const SAMPLE = 'Booked;Amount;Balance;End-to-end id\n31.01.2026;-107,63;892,37;FW0199A6F2\n';

/** A payout of a plan to an Australian account. */
async function ofPayout(service: TestService): Promise<string> {
  const plan = await service.ask<Plan>(
    '/v1/payments',
    payment(service, { corridorId: 'usdc-aud-bank', amountIn: '70000000', recipient: bank() }),
  );
  for (const [index, event] of ['deposit.exact', 'swap.done', 'payout.done'].entries())
    await service.ask(`/v1/sandbox/payments/${plan.planId}/steps/${plan.steps[index]?.stepId}/simulate`, {
      event,
    });
  const { body } = await service.request(`/v1/payments/${plan.planId}/movements`);
  const { data } = body as { data: { kind: string; movementId: string }[] };
  return data.find(({ kind }) => kind === 'PAYOUT')?.movementId ?? '';
}

function statementRequests({ service }: Ground): Requests {
  const root = '/v1/reconciliation';
  const entry = async (act: string) => `${root}/entries/${(await ofStatement(service)).entryId}/${act}`;
  return {
    [`put ${root}/maps/{name}`]: () => [`${root}/maps/bank`, { ...postOf(MAP), method: 'PUT' }],
    [`post ${root}/maps/suggest`]: () => [
      `${root}/maps/suggest?account=DE89370400440532013000&currency=EUR`,
      { method: 'POST', headers: { 'content-type': 'text/csv' }, body: SAMPLE },
    ],
    [`get ${root}/maps`]: () => [`${root}/maps`],
    [`get ${root}/maps/{name}`]: async () => {
      await service.request(`${root}/maps/bank`, { ...postOf(MAP), method: 'PUT' });
      return [`${root}/maps/bank`];
    },
    [`post ${root}/statements`]: () => [
      `${root}/statements`,
      { method: 'POST', headers: XML, body: camtOf({ bookings: [{ amount: '-1.00' }], id: 'contract' }) },
    ],
    [`get ${root}/statements`]: async () => {
      await ofStatement(service);
      return [`${root}/statements?limit=5`];
    },
    [`get ${root}/statements/{statementId}`]: async () => [
      `${root}/statements/${(await ofStatement(service)).statementId}`,
    ],
    [`get ${root}/statements/{statementId}/entries`]: async () => [
      `${root}/statements/${(await ofStatement(service)).statementId}/entries?limit=5&status=OPEN`,
    ],
    [`get ${root}/statements/{statementId}/differences`]: async () => [
      `${root}/statements/${(await ofStatement(service)).statementId}/differences?limit=5`,
    ],
    [`get ${root}/entries/{entryId}`]: async () => {
      const path = `${root}/entries/${(await ofStatement(service)).entryId}`;
      const allocations = [{ movementId: await ofPayout(service), amount: '1250' }];
      await service.request(`${path}/match`, postOf({ allocations }));
      return [path];
    },
    [`post ${root}/entries/{entryId}/match`]: async () => [
      await entry('match'),
      postOf({ allocations: [{ movementId: await ofPayout(service), amount: '1250' }] }),
    ],
    [`post ${root}/entries/{entryId}/unmatch`]: async () => [await entry('unmatch'), BODYLESS],
    [`post ${root}/entries/{entryId}/ignore`]: async () => [await entry('ignore'), postOf({ reason: 'fee' })],
  };
}

/** Makes requests of every operation, each of which is answered with a success. */
export async function contractRequests(service: TestService) {
  const { tokens } = await service.ask<{ tokens: { symbol: string; address: string }[] }>('/v1/sandbox');
  const ground: Ground = { service, dai: tokens.find(({ symbol }) => symbol === 'DAI')?.address ?? '' };
  const requests: Requests = {
    ...otherRequests(ground),
    ...paymentRequests(ground),
    ...roundRequests(ground),
    ...recipientRequests(ground),
    ...webhookRequests(ground),
    ...reportRequests(ground),
    ...statementRequests(ground),
  };
  return {
    requests,
    bank,
    trade: () => trade(ground),
    payment: (changes?: object) => payment(service, changes),
    ofLinked: (path: string) => ofLinked(service, path),
    ofRound,
    ofRecipient: (path: string) => ofRecipient(service, path),
    ofTested: () => ofTested(service),
    ofReport: () => ofReport(service),
    ofStatement: () => ofStatement(service),
  };
}
