import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  MovementList,
  PaymentEventList as EventListSchema,
  type PaymentEvent,
  type PaymentPlan as Plan,
  PaymentPlan as PlanSchema,
  type PaymentStep,
  Problem,
  type Sandbox,
  type SimulatedEvent,
} from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type pino from 'pino';
import { getAddress } from 'viem';
import { basic, postOf, startTestService, type TestService, whole } from './harness.ts';
import { type Call, type KeyWallet, keyWallet, receiptOf } from './keyWallet.ts';
import { type Wallet, walletOn } from './wallet.ts';

/** A plan with all that answers can show beside it, which the clients of tests ask for. */
export type WholePlan = Plan & Required<Pick<Plan, 'funds' | 'options' | 'returns'>>;

/** The parts of a problem that tests check. */
export type ProblemBody = {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
};

/**
 * An answer to a request about payments: a plan or a problem, checked against its schema. `json` is the parsed body.
 */
export type PlanAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
  readonly body: WholePlan;
  readonly problem: ProblemBody;
};

type StepType = PaymentStep['type'];
type Report = { readonly [field: string]: unknown };

/** The API of payments with one credential. Every answer is checked against the schemas of the API. */
export type PaymentsClient = {
  /** `ifMatch`: the entity tags that the request names. */
  ask(path: string, body?: unknown, ifMatch?: string): Promise<PlanAnswer>;
  /** POST /v1/payments with an ordinary payment and these fields; asserts a 200. */
  plan(fields?: object): Promise<WholePlan>;
  get(planId: string): Promise<WholePlan>;
  /** The text of the plan's body, to compare with a later one. */
  textOf(planId: string): Promise<string>;
  report(plan: Plan, type: StepType, report: Report): Promise<PlanAnswer>;
  /** POST …/again: does once more what fits the state. */
  again(plan: Pick<Plan, 'planId'>, request?: object): Promise<PlanAnswer>;
  /** POST …/end, with the revision that the plan has now. Without a reason it is cancelled. */
  end(plan: Pick<Plan, 'planId'>, request?: object): Promise<PlanAnswer>;
  /** Makes the sandbox play the payer, the wallet or the custodian of a step. */
  simulate(plan: Plan, type: StepType, event: SimulatedEvent): Promise<PlanAnswer>;
  /** Plays events that the plan accepts, one after the other; the plan after the last. */
  played(plan: Plan, ...events: readonly SimulatedEvent[]): Promise<WholePlan>;
  /** Waits until a condition holds for the plan, without any request that could bring it about. */
  until(plan: Plan, what: string, holds: (plan: WholePlan) => boolean): Promise<WholePlan>;
  /** Every event of a plan. */
  events(plan: Pick<Plan, 'planId'>): Promise<PaymentEvent[]>;
};

/** A whole sandbox with payments, its accounts and its custodian. */
export type PaymentsTest = PaymentsClient & {
  readonly service: TestService;
  readonly sandbox: Sandbox;
  readonly onChain: Wallet;
  token(symbol: string): string;
  /** A wallet with a key of its own and native currency for gas. */
  freshWallet(): Promise<KeyWallet>;
  /** The wallet of an account that GET /v1/sandbox shows. */
  accountWallet(index: number): KeyWallet;
  /** Gives an account tokens by the faucet. */
  give(address: string, symbol: string, amount: bigint): Promise<void>;
  advance(duration: string): Promise<void>;
  /** The custodian's account of a corridor. */
  settlementAddress(corridorId: string): Promise<string>;
  /** The custodian of a corridor sends a transaction from its account; the hash, once it is mined. */
  custodianSends(corridorId: string, call: Pick<Call, 'to' | 'data'>): Promise<string>;
  /** Another account sells this amount of a token for another token, which moves the price. */
  trade(symbolIn: string, symbolOut: string, amount: bigint): Promise<void>;
  close(): Promise<void>;
};

/** The sandbox without arguments that files of this process use together, and how many of them have not closed it. */
let usual: { readonly started: Promise<PaymentsTest>; users: number } | undefined;

/** Starts the sandbox with these arguments; it writes to `log`. Without either, files of one process share a sandbox. */
export async function startPaymentsTest(log?: pino.Logger, args?: readonly string[]): Promise<PaymentsTest> {
  if (log !== undefined || args !== undefined) return startSandbox(log, args);
  usual ??= { started: startSandbox(), users: 0 };
  usual.users += 1;
  const { started } = usual;
  const test = await started;
  return {
    ...test,
    async close() {
      if (usual === undefined || --usual.users > 0) return;
      usual = undefined;
      await test.close();
    },
  };
}

async function startSandbox(log?: pino.Logger, args: readonly string[] = []): Promise<PaymentsTest> {
  const service = await startTestService(args, {}, log);
  const { demo, url } = service.running;
  if (demo === undefined) throw new Error('The sandbox has a demo credential');
  const client = paymentsClient(url, basic(demo.username, demo.password));
  const sandbox = await service.ask<Sandbox>('/v1/sandbox');
  const { rpc } = service;

  function token(symbol: string): string {
    const found = sandbox.tokens.find((each) => each.symbol === symbol);
    if (found === undefined) throw new Error(`The sandbox has no ${symbol}`);
    return found.address;
  }

  async function posted(path: string, body: object): Promise<unknown> {
    const { status, body: answer } = await service.request(path, postOf(body));
    assert.equal(status, 200, JSON.stringify(answer));
    return answer;
  }

  async function freshWallet(): Promise<KeyWallet> {
    const wallet = keyWallet(sandbox.rpcUrl, rpc);
    await rpc('anvil_setBalance', [wallet.address, '0x8ac7230489e80000']);
    return wallet;
  }

  async function give(address: string, symbol: string, amount: bigint): Promise<void> {
    const asset = { chainId: sandbox.chainId, address: token(symbol) };
    await posted('/v1/sandbox/faucet', { address, asset, amount: String(amount) });
  }

  return {
    ...client,
    ...custodianOn(service),
    service,
    sandbox,
    onChain: walletOn(service),
    token,
    freshWallet,
    accountWallet(index) {
      const account = sandbox.accounts[index];
      if (account === undefined) throw new Error(`The sandbox has no account ${index}`);
      return keyWallet(sandbox.rpcUrl, rpc, account.privateKey as `0x${string}`);
    },
    give,
    async advance(duration) {
      await posted('/v1/sandbox/clock', { advance: duration });
    },
    async trade(symbolIn, symbolOut, amount) {
      const seller = await freshWallet();
      await give(seller.address, symbolIn, amount);
      await service.recordAtHead();
      const swap = await posted('/v1/swap', {
        chainId: sandbox.chainId,
        tokenIn: token(symbolIn),
        tokenOut: token(symbolOut),
        tradeType: 'EXACT_IN',
        amount: String(amount),
        slippageBps: 500,
        sender: seller.address,
      });
      await seller.execute((swap as { instructions: Call[] }).instructions);
      await service.recordAtHead();
    },
    close: service.close,
  };
}

/** The sandbox's custodian. It has no key: the node sends for it. */
function custodianOn({ ask, rpc }: TestService): Pick<PaymentsTest, 'settlementAddress' | 'custodianSends'> {
  async function settlementAddress(corridorId: string): Promise<string> {
    type Listed = { id: string; target: { settlementAddress: string } }[];
    const corridors = await ask<Listed>('/v1/markets/corridors?status=all');
    return corridors.find(({ id }) => id === corridorId)?.target.settlementAddress ?? '';
  }

  return {
    settlementAddress,
    async custodianSends(corridorId, { to, data }) {
      const from = await settlementAddress(corridorId);
      await rpc('anvil_impersonateAccount', [from]);
      await rpc('anvil_setBalance', [from, '0x8ac7230489e80000']);
      const hash = await rpc<string>('eth_sendTransaction', [{ from, to, data }]);
      assert.equal((await receiptOf(rpc, hash)).status, '0x1');
      return hash;
    },
  };
}

/** A recipient of the sandbox's Australian corridor. */
export const AUSTRALIAN = {
  type: 'bank',
  name: 'Josephine Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '12345678' },
};

/** A recipient of the sandbox's Philippine corridor. */
export const FILIPINO = {
  type: 'emoney',
  name: 'Jo Citizen',
  provider: 'GCash',
  idType: 'PHONE',
  idValue: '+639171234567',
  currency: 'PHP',
};

/** An address that nobody has used yet. */
export function freshAddress(): string {
  return `0x${randomBytes(20).toString('hex')}`;
}

/** A reference that nobody has used yet. */
export function freshReference(): string {
  return `INV-${randomBytes(6).toString('hex')}`;
}

/** The API of payments for a credential. */
export function paymentsClient(url: string, authorization: string): PaymentsClient {
  async function ask(path: string, body?: unknown, ifMatch?: string): Promise<PlanAnswer> {
    const { method, body: sent, headers } = body === undefined ? {} : postOf(body);
    const init = {
      ...(method === undefined ? {} : { method, body: sent }),
      headers: { ...headers, authorization, ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) },
    };
    const response = await fetch(`${url}${whole(path)}`, init);
    const text = await response.text();
    const json: unknown = JSON.parse(text);
    const { status } = response;
    const answer = {
      status,
      headers: response.headers,
      text,
      json,
      body: json as WholePlan,
      problem: json as ProblemBody,
    };
    const kind = status === 200 ? kindOf(path) : 'PROBLEM';
    matches(kind, json, `${path} (${status})`);
    if (kind === 'PROBLEM') assert.equal(answer.problem.status, status);
    return answer;
  }

  async function planOf(path: string, body?: unknown): Promise<WholePlan> {
    const answer = await ask(path, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  const get = (planId: string) => planOf(`/v1/payments/${planId}`);
  const act = (plan: Plan, type: StepType, action: string, body: object = {}) =>
    ask(`/v1/payments/${plan.planId}/steps/${stepOf(plan, type).stepId}/${action}`, body);
  const simulate = (plan: Plan, type: StepType, event: SimulatedEvent) =>
    ask(`/v1/sandbox/payments/${plan.planId}/steps/${stepOf(plan, type).stepId}/simulate`, { event });

  return {
    ask,
    get,
    plan: (fields = {}) => planOf('/v1/payments', requestOf(fields)),
    async textOf(planId) {
      return (await ask(`/v1/payments/${planId}`)).text;
    },
    report: (plan, type, report) => act(plan, type, 'reports', report),
    again: ({ planId }, request = {}) => ask(`/v1/payments/${planId}/again`, request),
    async end({ planId }, request = {}) {
      const { revision } = await get(planId);
      return ask(`/v1/payments/${planId}/end`, request, `"${revision}"`);
    },
    simulate,
    played: (plan, ...events) => playedBy(simulate, plan, events),
    async until({ planId }, what, holds) {
      let plan = await get(planId);
      for (let tries = 0; !holds(plan) && tries < 2_000; tries++) {
        await sleep(25);
        plan = await get(planId);
      }
      assert.ok(holds(plan), `Waited in vain until ${what}: ${summaryOf(plan)}`);
      return plan;
    },
    async events({ planId }) {
      const { json } = await ask(`/v1/payments/${planId}/events?limit=100`);
      return (json as { data: PaymentEvent[] }).data;
    },
  };
}

async function playedBy(
  simulate: PaymentsClient['simulate'],
  plan: Plan,
  events: readonly SimulatedEvent[],
): Promise<WholePlan> {
  let now: Plan = plan;
  for (const event of events) {
    const { status, body, text } = await simulate(now, typeOf(now, event), event);
    assert.equal(status, 200, `${event}: ${text}`);
    now = body;
  }
  return now as WholePlan;
}

/** The type of the step that an event of the sandbox is about. */
function typeOf({ steps }: Plan, event: SimulatedEvent): StepType {
  if (event.startsWith('deposit.')) return 'AWAIT_DEPOSIT';
  return event.startsWith('swap.') ? 'EXECUTE_SWAP' : (steps.at(-1)?.type ?? 'CUSTODIAN_PAYOUT');
}

/** The body of an ordinary payment, with other fields. */
export function requestOf(fields: object = {}): { readonly [field: string]: unknown } {
  return {
    clientReference: freshReference(),
    corridorId: 'usdc-aud-bank',
    amountIn: '250000000',
    recipient: AUSTRALIAN,
    options: { mode: 'STANDARD' },
    ...fields,
  };
}

/** The steps without what was kept back, which a return takes from their sight: the attempt to pay is over then. */
export function stepsWithoutRest({ steps }: Plan): readonly PaymentStep[] {
  return steps.map(({ deductions: _, ...step }) => step as PaymentStep);
}

/** The step of a plan that has this type. */
export function stepOf(plan: Plan, type: StepType): PaymentStep {
  const step = plan.steps.find((each) => each.type === type);
  assert.ok(step, `The plan has no ${type}`);
  return step;
}

/** How a plan ended, or else its status. */
export function endOf({ status, ended }: Plan): string {
  return ended?.reason ?? status;
}

/** The statuses of a plan's steps, in order. */
export function statusesOf(plan: Plan): string {
  return plan.steps.map(({ status }) => status).join(' ');
}

function summaryOf(plan: Plan): string {
  const { status, next, steps } = plan;
  const shown = steps.map(({ instructions: _calldata, ...step }) => step);
  return JSON.stringify({ status, next, steps: shown }, null, 1);
}

/** Asserts that an answer is a problem with this code; a failure shows the whole answer. */
export function assertProblem(answer: PlanAnswer, status: number, code: string, detail: RegExp = /./): void {
  assert.deepEqual([answer.status, answer.problem.code], [status, code], answer.text.slice(0, 600));
  assert.match(answer.problem.detail, detail);
}

type Kind = 'PLAN' | 'EVENTS' | 'MOVEMENTS' | 'PROBLEM' | 'OTHER';

function kindOf(path: string): Kind {
  if (/^\/v1\/payments\/[^/]+\/events/.test(path)) return 'EVENTS';
  if (/^\/v1\/payments\/[^/]+\/movements/.test(path)) return 'MOVEMENTS';
  return /^\/v1(\/sandbox)?\/payments(\/plan_[^?]*(\?.*)?)?$/.test(path) && !path.endsWith('/reveal')
    ? 'PLAN'
    : 'OTHER';
}

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);
ajv.addFormat('uint64', true);
const checks = {
  PLAN: ajv.compile(closed(PlanSchema) as object),
  EVENTS: ajv.compile(closed(EventListSchema) as object),
  MOVEMENTS: ajv.compile(closed(MovementList) as object),
  PROBLEM: ajv.compile(closed(Problem) as object),
};

/** The schema with additional members forbidden in every object, so that an answer cannot have undocumented members. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

/** Every unit of a plan's money is accounted for, in each answer, and a plan that has ended says how. */
function assertConsistent({ planId, status, ended, money, funds = [] }: Plan): void {
  assert.equal(ended !== undefined, status === 'ENDED', `${planId}: ${status} ${ended?.reason}`);
  for (const { asset, in: came, out, left } of money)
    assert.equal(BigInt(came) - BigInt(out), BigInt(left), `${planId}: ${asset.symbol} does not add up`);
  for (const { asset, swapped, unallocated, ...sums } of funds) {
    const entries = unallocated.map(({ amount, direction }) =>
      direction === 'IN' ? BigInt(amount) : -BigInt(amount),
    );
    const told = entries.reduce((sum, units) => sum + units, BigInt(sums.outstanding));
    const arrived = BigInt(sums.received) + BigInt(swapped.out) + BigInt(sums.returned);
    const left = BigInt(swapped.in) + BigInt(sums.paidOut) + BigInt(sums.refunded) + BigInt(sums.deducted);
    assert.equal(arrived - left, told, `${planId}: ${JSON.stringify(asset)} does not add up`);
  }
}

/** Every address is in EIP-55 letter case, in each answer. */
function assertChecksums(text: string, what: string): void {
  for (const [, name, address = ''] of text.matchAll(/"(\w+)":"(0x[0-9a-fA-F]{40})"/g))
    assert.equal(address, getAddress(address), `${what}: ${name} is not EIP-55`);
}

function matches(kind: Kind, body: unknown, what: string): void {
  if (kind === 'OTHER') return;
  if (kind === 'PLAN') assertConsistent(body as Plan);
  assertChecksums(JSON.stringify(body), what);
  const check = checks[kind];
  assert.ok(check(body), `${what}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(body)}`);
}
