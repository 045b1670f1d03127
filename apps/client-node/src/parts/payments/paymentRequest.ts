import {
  addError,
  addressField,
  amountField,
  bodyFields,
  complete,
  type Fields,
  innerFields,
  invalidFields,
  optional,
  type Outcome,
  readJson,
  referenceField,
  refuse,
  required,
  textField,
  timestampField,
} from '@fairway/api';
import type { CorridorPolicy } from '@fairway/policies';
import type { PaymentRequest } from '@fairway/sdk/payments';
import { defined } from '@fairway/values';
import { ExecutePaymentRequest, LIMITS } from '@fairway/wire';
import type { PaymentOrder } from '../../platform/database/payments.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';
import { senderAmong } from '../executions/index.ts';

/** A payment that a client wants executed. */
export type ReadPayment = {
  readonly order: Omit<PaymentOrder, 'planId'>;
  /** What the service is asked for. */
  readonly request: PaymentRequest;
};

const KNOWN = Object.keys(ExecutePaymentRequest.properties);
const OPTIONS = Object.keys(ExecutePaymentRequest.properties.options.properties);

/** A relayer, and what its policy says of a corridor. */
export type Lane = { readonly relayer: Relayer; readonly corridor: CorridorPolicy };

/** The corridor with an id, for each relayer whose policy names it. */
export function lanesOf(relayers: readonly Relayer[], corridorId: string): readonly Lane[] {
  const lanes = relayers.flatMap((relayer) =>
    relayer.chainPolicy.corridors.map((corridor) => ({ relayer, corridor })),
  );
  return lanes.filter(({ corridor }) => corridor.corridorId === corridorId);
}

/** Reads what the node itself needs. The service reads the rest, and refuses what is wrong with it. */
export function readPaymentOrder(bytes: Uint8Array, relayers: readonly Relayer[]): Outcome<ReadPayment> {
  const read = readJson(bytes);
  if (!read.ok) return refuse({ code: 'malformed-json', detail: read.detail });
  const fields = bodyFields(read.value, KNOWN);
  const order = orderOf(fields, relayers);
  if (order === undefined) return refuse(invalidFields(fields.errors));
  const { lane, clientReference, amountIn, minAmountOut, validUntilMs } = order;
  const { relayer, corridor } = lane;
  const { validUntil: _own, ...given } = JSON.parse(Buffer.from(bytes).toString()) as PaymentRequest & {
    readonly validUntil?: string;
  };
  return {
    ok: true,
    value: {
      request: { ...given, options: { ...given.options, sender: relayer.address } },
      order: {
        ...{ clientReference, amountIn, relayerId: relayer.relayerId },
        ...{ corridorId: corridor.corridorId, tokenIn: corridor.tokenIn },
        ...defined({ minAmountOut, validUntilMs }),
      },
    },
  };
}

function orderOf(fields: Fields, relayers: readonly Relayer[]) {
  const clientReference = required(fields, 'clientReference', referenceField(LIMITS.clientReferenceLength));
  const corridorId = required(fields, 'corridorId', textField(LIMITS.corridorIdLength));
  const amountIn = required(fields, 'amountIn', amountField);
  const validUntilMs = optional(fields, 'validUntil', timestampField);
  const lanes = corridorId === undefined ? [] : lanesOf(relayers, corridorId);
  if (corridorId !== undefined && lanes.length === 0)
    addError(
      fields,
      'corridorId',
      `corridorId ${corridorId} is no corridor of the node's policy (chains.*.corridors), so that it is not known whom to pay.`,
    );
  const options = innerFields(fields, 'options', OPTIONS);
  if (options === undefined) addError(fields, 'options', 'options is missing: give an object with mode.');
  const limits = options && optionsOf(options, lanes);
  const read = complete(fields, { clientReference, amountIn, limits });
  return read && { ...read, ...read.limits, validUntilMs };
}

function optionsOf(options: Fields, lanes: readonly Lane[]) {
  const sender = optional(options, 'sender', addressField)?.address;
  const relayer = senderAmong(
    options,
    lanes.map((each) => each.relayer),
    sender,
  );
  const lane = lanes.find((each) => each.relayer === relayer);
  if (lane === undefined) return undefined;
  const { corridor } = lane;
  if (optional(options, 'depositAddress', addressField) !== undefined)
    addError(
      options,
      'depositAddress',
      "The node pays from the relayer's own balance: leave depositAddress out.",
    );
  const minAmountOut = optional(options, 'minAmountOut', amountField);
  if (minAmountOut === undefined && corridor.tokenIn !== corridor.tokenOut)
    addError(
      options,
      'minAmountOut',
      'minAmountOut is missing: give the least that may arrive. Take it from a quote that you have looked at.',
    );
  return { lane, minAmountOut };
}
