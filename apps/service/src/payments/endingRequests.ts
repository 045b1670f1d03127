import {
  type Acknowledged,
  type Amount,
  amountOf,
  type Asset,
  type CloseReason,
  defined,
  isNative,
} from '@fairway/plan';
import { CLOSE_REASONS, LIMITS } from '@fairway/wire';
import {
  addError,
  addressField,
  amountField,
  booleanField,
  chainIdField,
  complete,
  type FieldReader,
  type Fields,
  innerFields,
  integerField,
  optional,
  required,
  textField,
  wordField,
} from '../fields/fields.ts';
import { isJsonObject, type JsonValue } from '../fields/body.ts';
import { type GivenRecipient, recipientField } from './paymentRequest.ts';
import { readAsset } from './reportedAmounts.ts';
import { hashField, readOccurredAt } from './stepReport.ts';

/** A request to close a plan. */
export type CloseRequest = {
  readonly reason: CloseReason;
  readonly note?: string;
  readonly acknowledge: readonly Acknowledged[];
  readonly force: boolean;
};

const versionField = integerField({ minimum: 1, maximum: LIMITS.recipientVersion });

/** Reads which version of a payment is approved; undefined when a field is wrong. */
export function readApproval(fields: Fields): { readonly version: number } | undefined {
  return complete(fields, { version: required(fields, 'version', versionField) });
}

/** A report that money went back to the payer. */
export type RefundReport = {
  readonly amount: Amount;
  readonly asset: Extract<Asset, { chainId: number }>;
  readonly txHash?: `0x${string}`;
  readonly logIndex?: number;
  readonly providerReference?: string;
  readonly occurredAtMs?: number;
  /** The money went back although the plan was closed because it went elsewhere. */
  readonly force: boolean;
};

const ASSET_SHAPE = '{"chainId": 1, "address": "0x…"}';

/** A token. */
const assetField: FieldReader<RefundReport['asset']> = {
  must: `a token, such as ${ASSET_SHAPE}`,
  read(given, origin) {
    const members = membersOf(given, ['chainId', 'address']);
    if (members === undefined) return { ok: false };
    const chainId = chainIdField.read(members['chainId'] ?? null, origin);
    const address = addressField.read(members['address'] ?? null, origin);
    if (!chainId.ok || !address.ok) return { ok: false };
    return { ok: true, value: { chainId: Number(chainId.value), address: address.value.address } };
  },
};

/** The money that is left of a plan. */
const acknowledgeField: FieldReader<readonly Acknowledged[]> = {
  must: `a list of at most ${LIMITS.acknowledgeCount}, each like {"amount": "1000000", "asset": ${ASSET_SHAPE}}, with "direction": "OUT" for money that was spent without a recorded arrival`,
  read(given, origin) {
    if (!Array.isArray(given) || given.length > LIMITS.acknowledgeCount) return { ok: false };
    const read = given.map((each: JsonValue) => acknowledged(each, origin));
    const known = read.filter((each) => each !== undefined);
    return known.length === read.length ? { ok: true, value: known } : { ok: false };
  },
};

function acknowledged(given: JsonValue, origin: Fields['origin']): Acknowledged | undefined {
  const members = membersOf(given, ['amount', 'asset', 'direction']);
  if (members === undefined) return undefined;
  const amount = amountField.read(members['amount'] ?? null, origin);
  const asset = assetField.read(members['asset'] ?? null, origin);
  const { direction = 'IN' } = members;
  if (!amount.ok || !asset.ok || (direction !== 'IN' && direction !== 'OUT')) return undefined;
  return { amount: amountOf(amount.value), asset: asset.value, direction };
}

/** The members of an object that has no others than these. */
function membersOf(
  given: JsonValue,
  known: readonly string[],
): Readonly<Record<string, JsonValue>> | undefined {
  if (!isJsonObject(given)) return undefined;
  const members: Readonly<Record<string, JsonValue>> = { ...given };
  return Object.keys(members).every((name) => known.includes(name)) ? members : undefined;
}

/** Reads the fields of a request to close a plan; undefined when one is wrong. */
export function readClose(fields: Fields): CloseRequest | undefined {
  const reason = required(fields, 'reason', wordField(CLOSE_REASONS));
  const acknowledge = required(fields, 'acknowledge', acknowledgeField);
  const note = optional(fields, 'note', textField(LIMITS.closeNoteLength));
  const force = optional(fields, 'force', booleanField) ?? false;
  const read = complete(fields, { reason, acknowledge });
  return read && { ...read, force, ...defined({ note }) };
}

/** A text with 64 hexadecimal digits in a row: the hash of a transaction, with or without 0x, in any letters, and with words around it. */
const HASH_INSIDE = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i;

/** Reads the fields of a report of a refund; undefined when one is wrong. */
export function readRefund(fields: Fields, nowMs: number): RefundReport | undefined {
  const amount = required(fields, 'amount', amountField);
  const asset = readToken(fields);
  const txHash = optional(fields, 'txHash', hashField);
  const logIndex = optional(fields, 'logIndex', integerField(LIMITS.logIndex));
  const providerReference = optional(fields, 'providerReference', textField(LIMITS.providerReferenceLength));
  const occurredAtMs = readOccurredAt(fields, nowMs);
  const force = optional(fields, 'force', booleanField) ?? false;
  if (!fields.values.has('txHash') && !fields.values.has('providerReference'))
    addError(
      fields,
      'txHash',
      'txHash is missing; give it or providerReference, so that a repetition is known.',
    );
  if (fields.values.has('logIndex') && !fields.values.has('txHash'))
    addError(
      fields,
      'logIndex',
      'logIndex names a transfer of the transaction txHash; give both or neither.',
    );
  if (providerReference !== undefined && HASH_INSIDE.test(providerReference))
    addError(
      fields,
      'providerReference',
      "providerReference must be a reference of yours or of the custodian's; give the hash of a transaction as txHash, so that it is read on the chain and counted once.",
    );
  if (asset !== undefined && isNative(asset) && txHash !== undefined && providerReference !== undefined)
    addError(
      fields,
      'providerReference',
      'providerReference is left out beside txHash: native currency leaves no log, so that a refund of it is known by one of them alone.',
    );
  const read = complete(fields, { amount, asset });
  if (read === undefined) return undefined;
  return {
    amount: amountOf(read.amount),
    asset: read.asset,
    force,
    ...defined({ txHash, logIndex, providerReference, occurredAtMs }),
  };
}

/** Reads the token that went back. What was sent back in a currency counts in units of the token, too. */
function readToken(fields: Fields): RefundReport['asset'] | undefined {
  if (!fields.values.has('asset'))
    addError(fields, 'asset', `asset is missing; give the token that went back, such as ${ASSET_SHAPE}.`);
  const asset = readAsset(innerFields(fields, 'asset', ['currency', 'chainId', 'address']));
  if (asset === undefined || 'address' in asset) return asset;
  addError(
    fields,
    'asset',
    `asset must be a token, such as ${ASSET_SHAPE}; of money that went back in ${asset.currency}, give the token that it was paid from, and amount in units of that.`,
  );
  return undefined;
}

/** Reads the recipient who takes the place of the one before; undefined when a field is wrong. */
export function readReplacement(fields: Fields): { readonly recipient: GivenRecipient } | undefined {
  return complete(fields, { recipient: required(fields, 'recipient', recipientField) });
}
