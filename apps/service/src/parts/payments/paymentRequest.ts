import {
  type Address,
  type Amount,
  amountOf,
  type CollectOptions,
  type Mode,
  type PlanOptions,
} from '@fairway/plan';
import { defined, readDuration } from '@fairway/values';
import { COLLECT_LIFE_TEXTS, LIMITS, PAYMENT_MODES } from '@fairway/wire';
import { unusableAccount } from '../../platform/accounts/unusableAccount.ts';
import {
  addError,
  addressField,
  amountField,
  bpsField,
  complete,
  type FieldReader,
  type Fields,
  innerFields,
  isJsonObject,
  isLonger,
  type JsonValue,
  listField,
  optional,
  plainJson,
  referenceField,
  required,
  textField,
  wordField,
} from '@fairway/api';

const OPTION_FIELDS = [
  'mode',
  'sender',
  'depositAddress',
  'addressSignature',
  'slippageBps',
  'minAmountOut',
  'collect',
] as const;
const COLLECT_FIELDS = ['expiresIn', 'locale', 'message', 'allowedDestinations'] as const;

/**
 * A payment request with valid fields. The recipient's details are not checked yet: the corridor's schema does that.
 */
export type PaymentRequest = {
  readonly clientReference: string;
  readonly corridorId: string;
  readonly amountIn: Amount;
  readonly recipient: GivenRecipient;
  readonly mode: Mode;
  readonly options: PlanOptions;
  /**
   * The signature of the deposit address or, without one, of the sender. A repeated request may have another one or
   * none.
   */
  readonly addressSignature?: `0x${string}`;
  readonly metadata: Readonly<Record<string, string>>;
};

/** `plain`: a recipient as plain JSON. `type`: its member of this name. */
export type GivenRecipient = { readonly type: unknown; readonly plain: unknown };

const modeField = wordField(PAYMENT_MODES);
const slippageField = bpsField(LIMITS.slippageBps);

/** Reads every field of a payment request; undefined when one is wrong. */
export function readPaymentRequest(fields: Fields): PaymentRequest | undefined {
  const clientReference = required(fields, 'clientReference', referenceField(LIMITS.clientReferenceLength));
  const corridorId = required(fields, 'corridorId', textField(64));
  const amount = required(fields, 'amountIn', amountField);
  const recipient = required(fields, 'recipient', recipientField);
  required(fields, 'options', presentField);
  const given = readOptions(fields);
  const metadata = optional(fields, 'metadata', metadataField) ?? {};
  const read = complete(fields, { clientReference, corridorId, amount, recipient, given });
  if (read === undefined) return undefined;
  return {
    clientReference: read.clientReference,
    corridorId: read.corridorId,
    amountIn: amountOf(read.amount),
    recipient: read.recipient,
    ...read.given,
    metadata,
  };
}

type ReadOptions = Pick<PaymentRequest, 'mode' | 'options' | 'addressSignature'>;

function readOptions(body: Fields): ReadOptions | undefined {
  const fields = innerFields(body, 'options', OPTION_FIELDS);
  if (fields === undefined) return undefined;
  const mode = required(fields, 'mode', modeField);
  const sender = optional(fields, 'sender', accountField);
  const depositAddress = optional(fields, 'depositAddress', accountField);
  const addressSignature = optional(fields, 'addressSignature', signatureField);
  const slippageBps = optional(fields, 'slippageBps', slippageField) ?? LIMITS.slippageBps.default;
  const minAmountOut = optional(fields, 'minAmountOut', amountField);
  if (mode === 'STANDARD' && fields.values.has('collect'))
    addError(fields, 'collect', 'collect goes with mode DIGITAL_COLLECT; leave it out.');
  const collect = readCollect(fields);
  if (mode === undefined) return undefined;
  return {
    mode,
    ...defined({ addressSignature }),
    options: {
      slippageBps,
      ...defined({
        sender,
        depositAddress,
        minAmountOut: minAmountOut === undefined ? undefined : amountOf(minAmountOut),
      }),
      ...collect,
    },
  };
}

function readCollect(options: Fields): Pick<PlanOptions, 'collect' | 'collectLifeMs'> {
  const { minimum, maximum, default: usual } = LIMITS.collectLifeSeconds;
  const fields = innerFields(options, 'collect', COLLECT_FIELDS);
  if (fields === undefined) return { collectLifeMs: usual * 1000 };
  const seconds = optional(fields, 'expiresIn', lifeField(minimum, maximum)) ?? usual;
  const locale = optional(fields, 'locale', localeField);
  const message = optional(fields, 'message', textField(LIMITS.collectMessageLength));
  const allowed = optional(fields, 'allowedDestinations', destinationsField);
  // In one order, so that the same request written in another one has the same fingerprint.
  const allowedDestinations = allowed && DESTINATIONS.filter((name) => allowed.includes(name));
  const collect: CollectOptions = {
    ...defined({ locale, message, allowedDestinations }),
  };
  // An empty `collect` means the same as none, and must have the same fingerprint.
  const isGiven = Object.keys(collect).length > 0;
  return { collectLifeMs: seconds * 1000, ...(isGiven ? { collect } : {}) };
}

function lifeField(minimum: number, maximum: number): FieldReader<number> {
  return {
    must: `an ISO 8601 duration ${COLLECT_LIFE_TEXTS.range}, such as "P14D"`,
    read(given) {
      // Counted from a fixed date, because months and years differ in length: a repeated request must mean the same.
      const duration = typeof given === 'string' ? readDuration(given, 0, 1) : undefined;
      if (duration?.ok !== true || duration.seconds < minimum || duration.seconds > maximum)
        return { ok: false };
      return { ok: true, value: duration.seconds };
    },
  };
}

const localeField: FieldReader<string> = {
  must: 'a language tag such as "en" or "de"',
  read: (given) =>
    typeof given === 'string' && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/.test(given)
      ? { ok: true, value: given }
      : { ok: false },
};

const DESTINATIONS = ['wallet', 'bank', 'emoney'];
const destinationsField = listField(wordField(DESTINATIONS), {
  what: 'types of destination',
  minimum: 1,
  maximum: DESTINATIONS.length,
  uniqueBy: (destination) => destination,
});

const accountField: FieldReader<Address> = {
  must: addressField.must,
  read(given, origin) {
    const read = addressField.read(given, origin);
    if (!read.ok) return read;
    const address: string = read.value.address;
    // Other addresses that nobody can use are refused later, and only for a new plan: their list grows.
    if (unusableAccount(address) === 'NATIVE_CURRENCY') return { ok: false, must: 'an account of yours' };
    return { ok: true, value: address as Address };
  },
};

const signatureField: FieldReader<`0x${string}`> = {
  must: `a signature: "0x" and at most ${LIMITS.signatureBytes} bytes in hexadecimal digits`,
  read: (given) =>
    typeof given === 'string' &&
    given.length <= 2 + 2 * LIMITS.signatureBytes &&
    /^0x([0-9a-fA-F]{2})+$/.test(given)
      ? { ok: true, value: given as `0x${string}` }
      : { ok: false },
};

/** Checks only that a field is present. The members of the object are read as fields of their own. */
const presentField: FieldReader<true> = {
  must: 'an object that holds mode',
  read: () => ({ ok: true, value: true }),
};

/** Reads the recipient as plain JSON. The corridor's schema checks the details later. */
export const recipientField: FieldReader<GivenRecipient> = {
  must: 'an object with a type',
  read(given) {
    // Never refused here: the error would repeat what was given, which is personal data.
    const plain = plainJson(given);
    return { ok: true, value: { type: typeOf(given), plain } };
  },
};

function typeOf(given: JsonValue): unknown {
  const members: Readonly<Record<string, unknown>> = isJsonObject(given) ? { ...given } : {};
  return members['type'];
}

/** Pairs of texts that the caller keeps with something. */
export const metadataField: FieldReader<Readonly<Record<string, string>>> = {
  must: `an object of at most ${LIMITS.metadata.maximum} texts, with names of 1 to ${LIMITS.metadata.nameLength} and values of at most ${LIMITS.metadata.valueLength} characters`,
  read(given) {
    if (!isJsonObject(given)) return { ok: false };
    const entries = Object.entries(given);
    const { maximum, nameLength, valueLength } = LIMITS.metadata;
    if (entries.length > maximum || entries.some(([name]) => name === '' || !isText(name, nameLength)))
      return { ok: false };
    const wrong = entries.find(([, value]) => !isText(value, valueLength));
    if (wrong !== undefined) {
      const inside = { name: wrong[0], given: wrong[1] };
      return { ok: false, must: `a text of at most ${valueLength} characters`, inside };
    }
    return { ok: true, value: Object.fromEntries(entries) as Record<string, string> };
  },
};

/** Whether a value is a text that PostgreSQL can keep unchanged: without NUL and without half a surrogate pair. */
function isText(value: JsonValue, longest: number): value is string {
  return (
    typeof value === 'string' && !isLonger(value, longest) && value.isWellFormed() && !value.includes('\0')
  );
}

/** A text that is equal for requests with the same meaning. Key order, defaults and metadata make no difference. */
export function canonicalRequest(
  { clientReference, corridorId, amountIn, mode, options }: Omit<PaymentRequest, 'recipient'>,
  canonicalRecipient: string,
): string {
  return JSON.stringify([clientReference, corridorId, amountIn, mode, sorted(options), canonicalRecipient]);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}
