import { type ClockAnswer, type FaucetAnswer, NATIVE_ADDRESSES, type Sandbox } from '@fairway/wire';
import type { FaucetOrder, SandboxDeps, SandboxOutcome } from './deps.ts';
import { readDuration } from '../time/duration.ts';
import {
  addError,
  addressField,
  amountField,
  type FieldReader,
  type Fields,
  optional,
  pointerTo,
  required,
} from '../fields/fields.ts';
import { type Answer, invalidFields, refuse, tryLater } from './problem.ts';
import { timestampOf } from '../time/timestamp.ts';

/** Whole tokens the faucet gives at once at most: more would overflow balances that contracts add up. */
const MOST_WHOLE_TOKENS = 1_000_000_000_000n;

/** GET /v1/sandbox: the built-in chain, with accounts to execute instructions from. */
export function getSandbox({ chainId, rpcUrl, accounts, routers, tokens }: SandboxDeps): Answer<Sandbox> {
  return {
    ok: true,
    body: {
      chainId,
      rpcUrl,
      accounts: accounts.map(({ address, privateKey }) => ({ address, privateKey })),
      routers: { ...routers },
      tokens: tokens.map(({ address, symbol, decimals }) => ({ chainId, address, symbol, decimals })),
    },
  };
}

/** POST /v1/sandbox/clock: moves the service's and the chain's time forward. */
export async function advanceClock(
  fields: Fields,
  sandbox: SandboxDeps,
  nowMs: () => number,
): Promise<Answer<ClockAnswer>> {
  const seconds = required(fields, 'advance', durationField(nowMs()));
  if (seconds === undefined || fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  const advanced = await sandbox.advanceClock(seconds);
  if (!advanced.ok) return refused(advanced, '/advance');
  return { ok: true, body: { now: timestampOf(nowMs()) } };
}

function durationField(nowMs: number): FieldReader<number> {
  return {
    must: 'an ISO 8601 duration of whole seconds up to ten years, such as "PT20M" or "P1D"',
    read(given) {
      if (typeof given !== 'string') return { ok: false };
      const duration = readDuration(given, nowMs, 1);
      return duration.ok ? { ok: true, value: duration.seconds } : { ok: false, must: duration.must };
    },
  };
}

const trueField: FieldReader<true> = {
  must: 'true, or absent',
  read: (given) => (given === true ? { ok: true, value: true } : { ok: false }),
};

/** POST /v1/sandbox/faucet: gives an account native currency or tokens. */
export async function useFaucet(fields: Fields, sandbox: SandboxDeps): Promise<Answer<FaucetAnswer>> {
  const account = required(fields, 'address', addressField);
  const token = optional(fields, 'token', addressField);
  const native = optional(fields, 'native', trueField);
  const amount = required(fields, 'amount', amountField);
  if (fields.values.has('token') === fields.values.has('native')) {
    addError(fields, 'token', 'Send either token, or native: true.');
  }
  if (fields.errors.length > 0 || account === undefined || amount === undefined) {
    return refuse(invalidFields(fields.errors));
  }
  const { given: address } = account;
  const wantsNative = native === true || (token !== undefined && NATIVE_ADDRESSES.includes(token.address));
  if (wantsNative) return give(sandbox, { address, native: true, amount }, 18);
  const listed = sandbox.tokens.find((known) => known.address.toLowerCase() === token?.address);
  if (listed === undefined) {
    const detail = `token ${token?.given} is not a token of the sandbox; GET /v1/sandbox lists them.`;
    return refuse({
      code: 'unknown-token',
      detail,
      errors: [{ pointer: pointerTo(fields.origin, 'token'), detail }],
    });
  }
  return give(sandbox, { address, token: listed.address, amount }, listed.decimals);
}

async function give(
  sandbox: SandboxDeps,
  order: FaucetOrder,
  decimals: number,
): Promise<Answer<FaucetAnswer>> {
  const most = MOST_WHOLE_TOKENS * 10n ** BigInt(decimals);
  if (order.amount > most) {
    const detail = `amount is beyond what the faucet gives at once, which is ${most}.`;
    return refuse({ code: 'amount-out-of-range', detail, errors: [{ pointer: '/amount', detail }] });
  }
  const given = await sandbox.faucet(order);
  if (!given.ok) return refused(given, '/address');
  const { address, amount } = order;
  return {
    ok: true,
    body: {
      address,
      ...('token' in order ? { token: order.token } : { native: true }),
      amount: String(amount),
    },
  };
}

function refused(outcome: Extract<SandboxOutcome, { ok: false }>, pointer: string) {
  const { reason, detail } = outcome;
  if (reason === 'REFUSED') return refuse(invalidFields([{ pointer, detail }]));
  // What the chain's side says names its node.
  return refuse(tryLater('upstream-unavailable', 'The sandbox chain does not answer at the moment.', 1));
}
