import {
  amountOf,
  type Asset,
  type Deduction,
  minorDecimalsOf,
  type Money,
  type MovementId,
  rateOf,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import { LIMITS, MOVEMENT_ID_PATTERN } from '@fairway/wire';
import {
  addError,
  amountField,
  type FieldReader,
  type Fields,
  innerFields,
  isJsonObject,
  listedFields,
  minorAmountField,
  optional,
  required,
  textField,
} from '@fairway/api';
import { readToken, TOKEN_FIELDS } from '../../platform/chains/givenToken.ts';
import type { PaymentParts } from './paymentParts.ts';

type Chains = PaymentParts['chains'];

/** The amounts of a payment that a report tells beside `amount`. `returned`: the amount of a payment that came back. */
export type ReportedAmounts = {
  readonly returned?: Money;
  readonly paid?: Money;
  readonly fee?: Money;
  readonly rate?: string;
  readonly deductions?: readonly Deduction[];
  readonly corrects?: MovementId;
};

/** The fields of a report that tell amounts of a payment that was made. */
export const AMOUNT_FIELDS = ['paid', 'fee', 'rate', 'deductions', 'corrects'] as const;

const MOVEMENT_ID = new RegExp(MOVEMENT_ID_PATTERN);

const currencyField: FieldReader<string> = {
  must: 'a currency of ISO 4217, such as PHP',
  read: (given) =>
    typeof given === 'string' && minorDecimalsOf(given) !== undefined
      ? { ok: true, value: given }
      : { ok: false },
};

const rateField: FieldReader<string> = {
  must: 'a text of a positive decimal number without an exponent, such as "56.5"',
  read: (given) => {
    const rate = typeof given === 'string' ? rateOf(given) : undefined;
    return rate === undefined ? { ok: false } : { ok: true, value: rate };
  },
};

const movementIdField: FieldReader<MovementId> = {
  must: 'the movementId of a payment of this step',
  read: (given) =>
    typeof given === 'string' && MOVEMENT_ID.test(given)
      ? { ok: true, value: given as MovementId }
      : { ok: false },
};

/** Reads the amounts of a report; the errors are added to the fields. */
export function readAmounts(fields: Fields, chains: Chains): ReportedAmounts {
  return defined({
    returned: readMoney(innerFields(fields, 'returned', ['amount', 'asset']), chains),
    paid: readMoney(innerFields(fields, 'paid', ['amount', 'asset']), chains),
    fee: readMoney(innerFields(fields, 'fee', ['amount', 'asset']), chains),
    rate: optional(fields, 'rate', rateField),
    deductions: readDeductions(fields, chains),
    corrects: optional(fields, 'corrects', movementIdField),
  });
}

function readDeductions(fields: Fields, chains: Chains): readonly Deduction[] | undefined {
  const listed = listedFields(fields, 'deductions', ['amount', 'asset', 'reason'], LIMITS.deductions);
  return listed?.flatMap((each) => {
    const money = readMoney(each, chains);
    const reason = required(each, 'reason', textField(LIMITS.failureDetailLength));
    return money === undefined || reason === undefined ? [] : [{ ...money, reason }];
  });
}

function readMoney(fields: Fields | undefined, chains: Chains): Money | undefined {
  if (fields === undefined) return undefined;
  const given = fields.values.get('asset');
  const isToken = isJsonObject(given) && !Object.hasOwn(given, 'currency');
  const amount = required(fields, 'amount', isToken ? amountField : minorAmountField);
  if (!fields.values.has('asset'))
    addError(
      fields,
      'asset',
      'asset is missing; it must be {"currency": …} or {"chainId": …, "address": …}.',
    );
  const asset = readAsset(innerFields(fields, 'asset', ASSET_FIELDS), chains);
  return amount === undefined || asset === undefined ? undefined : { amount: amountOf(amount), asset };
}

/** The fields of an asset as answers show it. */
export const ASSET_FIELDS = ['currency', ...TOKEN_FIELDS] as const;

/** Reads an asset, a token or a currency; the errors are added to the fields. */
export function readAsset(fields: Fields | undefined, chains: Chains): Asset | undefined {
  if (fields === undefined) return undefined;
  if (fields.values.has('currency')) {
    for (const name of TOKEN_FIELDS)
      if (fields.values.has(name)) addError(fields, name, `${name} goes with a token, not with currency.`);
    const currency = optional(fields, 'currency', currencyField);
    return currency === undefined ? undefined : { currency };
  }
  return readToken(fields, chains);
}
