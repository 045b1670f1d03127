import { createHash } from 'node:crypto';
import {
  addError,
  addressField,
  amountField,
  bodyFields,
  bpsField,
  chainIdField,
  complete,
  type Fields,
  invalidFields,
  optional,
  type Outcome,
  readJson,
  refuse,
  required,
  timestampField,
  tradeTypeField,
} from '@fairway/api';
import type { Asked } from '@fairway/policies';
import { addressOf } from '@fairway/sdk/checks';
import type { SwapRequest } from '@fairway/sdk/swaps';
import { defined } from '@fairway/values';
import { ExecuteSwapRequest, LIMITS } from '@fairway/wire';
import type { Relayer } from '../../platform/relaying/relayer.ts';

/** A swap that a client wants executed. */
export type SwapOrder = {
  readonly relayer: Relayer;
  /** What the service is asked for. */
  readonly trade: SwapRequest;
  /** What its answer is compared with. */
  readonly asked: Asked;
  /** The deadline that the client names. */
  readonly deadlineMs: number | undefined;
  /** Past this time nothing of it is to be executed any more. */
  readonly validUntilMs: number | undefined;
  /** A hash of the request, so that its key is not used for another one. */
  readonly fingerprint: Buffer;
};

const KNOWN = Object.keys(ExecuteSwapRequest.properties);
/** What the service is not told. */
export const OWN = ['minAmountOut', 'maxAmountIn', 'validUntil'];

/** Reads what the node itself needs. The service reads the rest, and refuses what is wrong with it. */
export function readSwapOrder(bytes: Uint8Array, relayers: readonly Relayer[]): Outcome<SwapOrder> {
  const read = readJson(bytes);
  if (!read.ok) return refuse({ code: 'malformed-json', detail: read.detail });
  const fields = bodyFields(read.value, KNOWN);
  const order = orderOf(fields, relayers);
  if (order === undefined) return refuse(invalidFields(fields.errors));
  const { relayer, tradeType, tokenIn, tokenOut, amount, bound, ...others } = order;
  const recipient = others.recipient ?? relayer.address;
  const given = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
  const passed = Object.entries(given).filter(([name]) => !OWN.includes(name));
  const trade = {
    ...(Object.fromEntries(passed) as SwapRequest),
    ...{ sender: relayer.address, recipient },
  };
  const asked = {
    ...{ chainId: relayer.chainId, tradeType, amount, sender: relayer.address },
    ...{ tokenIn: addressOf(tokenIn.address), tokenOut: addressOf(tokenOut.address) },
    recipient: recipient.toLowerCase(),
    limit: tradeType === 'EXACT_IN' ? { minAmountOut: bound } : { maxAmountIn: bound },
  };
  const { deadlineMs, validUntilMs } = others;
  return {
    ok: true,
    value: { relayer, trade, asked, deadlineMs, validUntilMs, fingerprint: fingerprintOf(given) },
  };
}

function orderOf(fields: Fields, relayers: readonly Relayer[]) {
  const chainId = required(fields, 'chainId', chainIdField);
  const tradeType = required(fields, 'tradeType', tradeTypeField);
  const tokenIn = required(fields, 'tokenIn', addressField);
  const tokenOut = required(fields, 'tokenOut', addressField);
  const amount = required(fields, 'amount', amountField);
  const bound = tradeType === undefined ? undefined : boundOf(fields, tradeType);
  const sender = optional(fields, 'sender', addressField)?.address;
  const ofChain = relayers.filter((each) => String(each.chainId) === chainId);
  if (chainId !== undefined && ofChain.length === 0)
    addError(fields, 'chainId', `chainId ${chainId} has no relayer here; GET /relay/relayers lists them.`);
  const relayer = senderAmong(fields, ofChain, sender);
  const recipient = optional(fields, 'recipient', addressField)?.address;
  optional(fields, 'slippageBps', bpsField(LIMITS.slippageBps));
  const deadlineMs = optional(fields, 'deadline', timestampField);
  const validUntilMs = optional(fields, 'validUntil', timestampField);
  const read = complete(fields, { relayer, tradeType, tokenIn, tokenOut, amount, bound });
  return read && { ...read, recipient, deadlineMs, validUntilMs };
}

/** The relayer that a request names as its sender. It names none: the first, in the order of the configuration. */
export function senderAmong(
  fields: Fields,
  relayers: readonly Relayer[],
  sender: string | undefined,
): Relayer | undefined {
  const found = relayers.find(({ address }) => sender === undefined || address === sender);
  if (found === undefined && relayers.length > 0) {
    const known = relayers.map(({ address }) => address).join(' or ');
    addError(fields, 'sender', `sender must be the relayer ${known}, or be left out.`);
  }
  return found;
}

/** The worst that may happen. Without it the service could quote any price, and the node would sign it. */
function boundOf(fields: Fields, tradeType: 'EXACT_IN' | 'EXACT_OUT'): bigint | undefined {
  const [name, other] =
    tradeType === 'EXACT_IN'
      ? (['minAmountOut', 'maxAmountIn'] as const)
      : (['maxAmountIn', 'minAmountOut'] as const);
  if (optional(fields, other, amountField) !== undefined)
    addError(fields, other, `${other} is for the other tradeType; for ${tradeType} give ${name}.`);
  const bound = optional(fields, name, amountField);
  if (bound === undefined && !fields.errors.some(({ pointer }) => pointer === `/${name}`))
    addError(
      fields,
      name,
      `${name} is missing: give ${MEANING[name]}. Take it from a quote that you have looked at.`,
    );
  return bound;
}

const MEANING = {
  minAmountOut: 'the least that may arrive',
  maxAmountIn: 'the most that may be taken',
} as const;

/** The order of the members, and white space, make no other request. */
function fingerprintOf(given: Readonly<Record<string, unknown>>): Buffer {
  const sorted = Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify(sorted.map(([name, value]) => defined({ name, value }))))
    .digest();
}
