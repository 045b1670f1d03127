import {
  type Acknowledged,
  type Amount,
  amountOf,
  type Asset,
  type CloseReason,
  defined,
  isNative,
  namedHash,
} from '@fairway/plan';
import { CLOSE_REASONS, LIMITS } from '@fairway/wire';
import {
  addError,
  addressField,
  amountField,
  booleanField,
  chainIdField,
  complete,
  type Fields,
  innerFields,
  integerField,
  listedFields,
  optional,
  required,
  referenceField,
  textField,
  wordField,
} from '../fields/fields.ts';
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

/** Reads the money that is left of a plan; undefined when it is missing or wrong. */
function readAcknowledge(fields: Fields): readonly Acknowledged[] | undefined {
  if (!fields.values.has('acknowledge'))
    addError(
      fields,
      'acknowledge',
      `acknowledge is missing; it must be a list of at most ${LIMITS.acknowledgeCount}, each like {"amount": "1000000", "asset": ${ASSET_SHAPE}}, with "direction": "OUT" for money that was spent without a recorded arrival. Where nothing is left, send [].`,
    );
  const known = ['amount', 'asset', 'direction'];
  const listed = listedFields(fields, 'acknowledge', known, LIMITS.acknowledgeCount);
  return listed?.flatMap((each) => {
    const amount = required(each, 'amount', amountField);
    const asset = readAcknowledgedAsset(each);
    const direction = optional(each, 'direction', wordField(['IN', 'OUT'])) ?? 'IN';
    return amount === undefined || asset === undefined
      ? []
      : [{ amount: amountOf(amount), asset, direction }];
  });
}

function readAcknowledgedAsset(fields: Fields): RefundReport['asset'] | undefined {
  if (!fields.values.has('asset'))
    addError(fields, 'asset', `asset is missing; it must be a token, such as ${ASSET_SHAPE}.`);
  const inner = innerFields(fields, 'asset', ['chainId', 'address']);
  if (inner === undefined) return undefined;
  const chainId = required(inner, 'chainId', chainIdField);
  const address = required(inner, 'address', addressField);
  if (chainId === undefined || address === undefined) return undefined;
  return { chainId: Number(chainId), address: address.address };
}

/** Reads the fields of a request to close a plan; undefined when one is wrong. */
export function readClose(fields: Fields): CloseRequest | undefined {
  const reason = required(fields, 'reason', wordField(CLOSE_REASONS));
  const acknowledge = readAcknowledge(fields);
  const note = optional(fields, 'note', textField(LIMITS.closeNoteLength));
  const force = optional(fields, 'force', booleanField) ?? false;
  const read = complete(fields, { reason, acknowledge });
  return read && { ...read, force, ...defined({ note }) };
}

/** Reads the fields of a report of a refund; undefined when one is wrong. */
export function readRefund(fields: Fields, nowMs: number): RefundReport | undefined {
  const amount = required(fields, 'amount', amountField);
  const asset = readToken(fields);
  const txHash = optional(fields, 'txHash', hashField);
  const logIndex = optional(fields, 'logIndex', integerField(LIMITS.logIndex));
  const providerReference = optional(
    fields,
    'providerReference',
    referenceField(LIMITS.providerReferenceLength),
  );
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
  if (namedHash(providerReference) !== undefined)
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

/** Reads the token that went back. Money that was sent back in a currency counts in units of the token, too. */
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
