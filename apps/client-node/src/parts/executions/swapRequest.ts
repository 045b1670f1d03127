import { createHash } from 'node:crypto';
import {
  addError,
  addressField,
  amountField,
  bodyFields,
  chainIdField,
  complete,
  type Fields,
  integerField,
  invalidFields,
  optional,
  type Outcome,
  readJson,
  refuse,
  required,
  timestampField,
  tradeTypeField,
} from '@fairway/api';
import type { SwapRequest } from '@fairway/sdk/swaps';
import { defined } from '@fairway/values';
import { ExecuteSwapRequest, LIMITS } from '@fairway/wire';
import type { Relayer } from '../../platform/relaying/relayer.ts';

/** A swap that a client wants executed. */
export type SwapOrder = {
  readonly relayer: Relayer;
  /** What the service is asked for. */
  readonly trade: SwapRequest & { readonly slippageBps: number };
  /** The worst that may happen; undefined: what the service quotes, within the slippage. */
  readonly bound: bigint | undefined;
  readonly deadlineMs: number | undefined;
  /** A hash of the request, so that its key is not used for another one. */
  readonly fingerprint: Buffer;
};

const KNOWN = Object.keys(ExecuteSwapRequest.properties);
/** What the service is not told. */
const OWN = ['minAmountOut', 'maxAmountIn'];

/** Reads what the node itself needs. The service reads the rest, and refuses what is wrong with it. */
export function readSwapOrder(bytes: Uint8Array, relayers: readonly Relayer[]): Outcome<SwapOrder> {
  const read = readJson(bytes);
  if (!read.ok) return refuse({ code: 'malformed-json', detail: read.detail });
  const fields = bodyFields(read.value, KNOWN);
  const order = orderOf(fields, relayers);
  if (order === undefined) return refuse(invalidFields(fields.errors));
  const { relayer, recipient, bound, slippageBps, deadlineMs } = order;
  const given = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
  const passed = Object.entries(given).filter(([name]) => !OWN.includes(name));
  const trade = {
    ...(Object.fromEntries(passed) as SwapRequest),
    sender: relayer.address,
    recipient: recipient ?? relayer.address,
    slippageBps,
  };
  return { ok: true, value: { relayer, trade, bound, deadlineMs, fingerprint: fingerprintOf(given) } };
}

function orderOf(fields: Fields, relayers: readonly Relayer[]) {
  const chainId = required(fields, 'chainId', chainIdField);
  const tradeType = required(fields, 'tradeType', tradeTypeField);
  for (const name of ['tokenIn', 'tokenOut']) required(fields, name, addressField);
  required(fields, 'amount', amountField);
  const minAmountOut = optional(fields, 'minAmountOut', amountField);
  const maxAmountIn = optional(fields, 'maxAmountIn', amountField);
  if (tradeType === 'EXACT_OUT' && minAmountOut !== undefined)
    addError(fields, 'minAmountOut', 'minAmountOut is for EXACT_IN; for EXACT_OUT give maxAmountIn.');
  if (tradeType === 'EXACT_IN' && maxAmountIn !== undefined)
    addError(fields, 'maxAmountIn', 'maxAmountIn is for EXACT_OUT; for EXACT_IN give minAmountOut.');
  const sender = optional(fields, 'sender', addressField)?.address;
  const relayer = relayers.find((each) => String(each.chainId) === chainId);
  if (chainId !== undefined && relayer === undefined)
    addError(fields, 'chainId', `chainId ${chainId} has no relayer here; GET /relay/relayers lists them.`);
  if (sender !== undefined && relayer !== undefined && sender !== relayer.address)
    addError(fields, 'sender', `sender must be the relayer ${relayer.address}, or be left out.`);
  const recipient = optional(fields, 'recipient', addressField)?.address;
  const slippageBps =
    optional(fields, 'slippageBps', integerField(LIMITS.slippageBps)) ?? LIMITS.slippageBps.default;
  const deadlineMs = optional(fields, 'deadline', timestampField);
  const read = complete(fields, { relayer, slippageBps });
  return read && { ...read, recipient, bound: minAmountOut ?? maxAmountIn, deadlineMs };
}

/** The order of the members, and white space, make no other request. */
function fingerprintOf(given: Readonly<Record<string, unknown>>): Buffer {
  const sorted = Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify(sorted.map(([name, value]) => defined({ name, value }))))
    .digest();
}
