import { randomBytes } from 'node:crypto';
import type { Random } from '@fairway/testing';
import type { PaymentPlan, Quote, SwapPlan } from '@fairway/wire';
import type { Reply } from '../paymentCalls.ts';
import { ALONE, depositToken, type Ground, type LiedService, paymentOf } from './ground.ts';
import type { AskedTrade, Judge } from './judge.ts';
import type { Tally } from './tally.ts';

/** What requests are made and judged with. */
export type RequestParts = {
  readonly ground: Ground;
  readonly random: Random;
  readonly judge: Judge;
  readonly tally: Tally;
  readonly plans: MadePlan[];
};

/** A plan, and whether its deposit really happened. */
export type MadePlan = {
  readonly service: LiedService;
  readonly plan: PaymentPlan;
  readonly address: string;
  deposit: 'NONE' | 'INVENTED' | 'REAL';
  /** The transaction that was reported. */
  txHash?: string;
};

/** Where a request is made: during which lie, at which service. */
export type Occasion = { readonly lie: string; readonly service: LiedService };

/** The refusals that a lie may cause. */
const REFUSALS = new Set([
  'market-stale',
  'nodes-disagree',
  'market-mismatch',
  'simulation-unavailable',
  'upstream-unavailable',
]);

const SLIPPAGE_BPS = '50';
const DEPOSIT = 10n ** 16n;

/** A trade of random tokens, of an amount that the pools can serve. */
function randomTrade({ ground: { chain }, random }: RequestParts): AskedTrade {
  const tokenIn = random.pick(chain.tokens);
  const tokenOut = random.pick(chain.tokens.filter((token) => token !== tokenIn));
  const tradeType = random.pick(['EXACT_IN', 'EXACT_OUT']);
  const { decimals } = tradeType === 'EXACT_IN' ? tokenIn : tokenOut;
  const amount = (10n ** BigInt(decimals) * BigInt(random.integer(1, 1000))) / 1000n;
  return {
    chainId: String(chain.chainId),
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    tradeType,
    amount: String(amount),
    slippageBps: SLIPPAGE_BPS,
  };
}

/** Asks for a quote and judges it. */
export async function askQuote(parts: RequestParts, occasion: Occasion): Promise<void> {
  const trade = randomTrade(parts);
  const reply = await occasion.service.ask(`/v1/quote?${new URLSearchParams(trade)}`);
  await judged(parts, occasion, 'quote', reply, () =>
    parts.judge.faultOf(trade, reply.body as unknown as Quote),
  );
}

/** Asks for a swap and judges its quote and its simulation. */
export async function askSwap(parts: RequestParts, occasion: Occasion): Promise<void> {
  const { ground, random } = parts;
  const { chain } = ground;
  const trade = randomTrade(parts);
  const sender = random.pick([undefined, random.pick(chain.accounts).address]);
  const body = { ...trade, chainId: chain.chainId, slippageBps: Number(SLIPPAGE_BPS), sender };
  const reply = await occasion.service.ask('/v1/swap', body);
  await judged(parts, occasion, 'swap', reply, async () => {
    const { quote, simulation } = reply.body as unknown as SwapPlan;
    const fault = await parts.judge.faultOf(trade, quote);
    if (fault !== undefined || simulation?.status !== 'PASSED')
      return fault ?? `the simulation is ${simulation?.status}`;
    const due = BigInt(quote.amountOut) + BigInt(quote.route?.surplus ?? 0);
    const [paid, taken] = [BigInt(simulation.amountOut ?? 0), BigInt(simulation.amountIn ?? 0)];
    return paid >= due && taken <= BigInt(quote.amountIn)
      ? undefined
      : `the simulation pays ${paid} for ${taken}, not ${due}`;
  });
}

/** Makes a payment plan with a deposit address of its own. */
export async function askPayment(parts: RequestParts, occasion: Occasion): Promise<void> {
  const address = `0x${randomBytes(20).toString('hex')}`;
  const reply = await occasion.service.ask('/v1/payments', paymentOf(parts.random, address, DEPOSIT));
  await judged(parts, occasion, 'payment', reply, async () => {
    parts.plans.push({ service: occasion.service, plan: reply.body, address, deposit: 'NONE' });
    return undefined;
  });
}

/** Reports a deposit that never happened, which the liar's node shows when it lies about transactions. */
export async function reportInvented(parts: RequestParts, occasion: Occasion): Promise<void> {
  const made = takePlan(parts, occasion);
  if (made === undefined) return askPayment(parts, occasion);
  made.deposit = 'INVENTED';
  const txHash = `0x${randomBytes(32).toString('hex')}` as const;
  const token = depositToken(parts.ground.chain);
  parts.ground.liar.invent([{ txHash, token, to: made.address, amount: DEPOSIT }]);
  made.txHash = txHash;
  const reply = await reportAgain(made);
  await judged(
    parts,
    occasion,
    'invented report',
    reply,
    async () => `an invented deposit was taken: ${reply.text}`,
  );
}

/** Pays a plan and reports the transaction. */
export async function reportReal(parts: RequestParts, occasion: Occasion): Promise<void> {
  const made = takePlan(parts, occasion);
  if (made === undefined) return askPayment(parts, occasion);
  made.deposit = 'REAL';
  made.txHash = await parts.ground.pay(made.address, DEPOSIT);
  const reply = await reportAgain(made);
  await judged(parts, occasion, 'real report', reply, async () => {
    const [step] = reply.body.steps;
    // Money at an account that the plan only names is its deposit because the integrator says so.
    const due = made.plan.options?.depositAddress === undefined ? 'REPORTED' : 'VERIFIED';
    const isOther = step?.status === 'DONE' && step.verification !== due;
    return isOther ? `a real deposit is DONE and ${step.verification}, not ${due}` : undefined;
  });
}

function takePlan({ plans }: RequestParts, { service }: Occasion): MadePlan | undefined {
  return plans.find((made) => made.deposit === 'NONE' && made.service === service);
}

/** Reports the transaction of a plan's deposit. */
export function reportAgain({ service, plan, txHash }: MadePlan): Promise<Reply> {
  const stepId = plan.steps[0]?.stepId;
  return service.ask(`/v1/payments/${plan.planId}/steps/${stepId}/reports`, { outcome: 'DONE', txHash });
}

/** Counts an answer, and notes what must not be: a false answer, a fault of the service, a refusal without a time. */
async function judged(
  { tally }: RequestParts,
  { lie, service }: Occasion,
  what: string,
  reply: Reply,
  faultOf: () => Promise<string | undefined>,
): Promise<void> {
  const { status, headers, body } = reply;
  const code = body.code ?? '';
  const where = `${lie} / ${service.name}: ${what}`;
  if (status === 200) {
    const fault = await faultOf();
    tally.count(lie, service.name, fault === undefined ? `${what} true` : `${what} FALSE`);
    if (fault !== undefined && service.name !== ALONE.name)
      tally.faults.push(`${where}: ${fault.slice(0, 2000)}`);
    return;
  }
  tally.count(lie, service.name, `${what} ${status} ${code}`);
  if (status === 503 && REFUSALS.has(code) && Number(headers.get('retry-after')) > 0) return;
  // A node that is alone is believed in much; it must only not break the service.
  if (status < 500 && service.name === ALONE.name) return;
  // A deposit that is not on the chain is refused for good.
  if (status === 409 && what === 'invented report') return;
  // A stale node shows no block that has the deposit yet, and the service says so.
  if (status === 409 && /not mined yet/.test(body.detail ?? '')) return;
  tally.faults.push(`${where}: ${status} ${reply.text.slice(0, 700)}`);
}
