import { type Amount, amountOf, type Asset, type CloseReason, isNative, namedHash } from '@fairway/plan';
import { defined } from '@fairway/values';
import { CLOSE_REASONS, LIMITS } from '@fairway/wire';
import {
  addError,
  amountField,
  booleanField,
  bpsField,
  complete,
  type Fields,
  innerFields,
  integerField,
  optional,
  required,
  referenceField,
  textField,
  wordField,
} from '@fairway/api';
import type { PaymentParts } from './paymentParts.ts';
import { type GivenRecipient, recipientField } from './paymentRequest.ts';
import { ASSET_FIELDS, readAsset } from './reportedAmounts.ts';
import { hashField, readOccurredAt } from './stepReport.ts';

/** A request to end a plan. Without a reason it ends only while no money has moved. */
export type EndRequest = {
  readonly reason?: CloseReason;
  readonly note?: string;
  readonly force: boolean;
};

/** A request to do once more what fits the state of the plan. */
export type AgainRequest = {
  readonly recipient?: GivenRecipient;
  readonly slippageBps?: number;
  readonly force?: boolean;
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

/** Reads the fields of a request to end a plan; undefined when one is wrong. */
export function readEnd(fields: Fields): EndRequest | undefined {
  const reason = optional(fields, 'reason', wordField(CLOSE_REASONS));
  const note = optional(fields, 'note', textField(LIMITS.closeNoteLength));
  const force = optional(fields, 'force', booleanField) ?? false;
  if (note !== undefined && !fields.values.has('reason'))
    addError(fields, 'note', 'note goes with reason; give both, or leave note out.');
  return complete(fields, {}) && { force, ...defined({ reason, note }) };
}

/** Reads the fields of a request to do something once more; undefined when one is wrong. */
export function readAgain(fields: Fields): AgainRequest | undefined {
  const recipient = optional(fields, 'recipient', recipientField);
  const slippageBps = optional(fields, 'slippageBps', bpsField(LIMITS.slippageBps));
  const force = optional(fields, 'force', booleanField);
  return complete(fields, {}) && defined({ recipient, slippageBps, force });
}

/** Reads the fields of a report of a refund; undefined when one is wrong. */
export function readRefund(
  fields: Fields,
  { chains, nowMs }: Pick<PaymentParts, 'chains' | 'nowMs'>,
): RefundReport | undefined {
  const amount = required(fields, 'amount', amountField);
  const asset = readRefunded(fields, chains);
  const txHash = optional(fields, 'txHash', hashField);
  const logIndex = optional(fields, 'logIndex', integerField(LIMITS.logIndex));
  const providerReference = optional(
    fields,
    'providerReference',
    referenceField(LIMITS.providerReferenceLength),
  )?.trim();
  const occurredAtMs = readOccurredAt(fields, nowMs());
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
function readRefunded(fields: Fields, chains: PaymentParts['chains']): RefundReport['asset'] | undefined {
  if (!fields.values.has('asset'))
    addError(fields, 'asset', `asset is missing; give the token that went back, such as ${ASSET_SHAPE}.`);
  const asset = readAsset(innerFields(fields, 'asset', ASSET_FIELDS), chains);
  if (asset === undefined || 'address' in asset) return asset;
  addError(
    fields,
    'asset',
    `asset must be a token, such as ${ASSET_SHAPE}; of money that went back in ${asset.currency}, give the token that it was paid from, and amount in units of that.`,
  );
  return undefined;
}
