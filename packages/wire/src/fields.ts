import { EVM_ADDRESS_PATTERN } from '@fairway/recipients';
import { type Static, Type } from 'typebox';

export { EVM_ADDRESS_PATTERN };

/**
 * One of a closed list of words, as a plain JSON Schema `enum`: a union of constants is slower to serialise and harder
 * to read.
 *
 * @example
 * ```ts
 * import { wordOf } from '@fairway/wire';
 *
 * const Side = wordOf(['BUY', 'SELL'], { description: 'Which side of the trade.' });
 * ```
 */
export function wordOf<const Words extends readonly string[]>(
  words: Words,
  options: { description: string },
) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });
}

/** The largest uint64: the bound of ChainId and block numbers. */
export const MAX_UINT64 = 2n ** 64n - 1n;

/** The largest uint256: the bound of Amount. */
export const MAX_UINT256 = 2n ** 256n - 1n;

/** Plain decimal digits of an unsigned integer, one spelling per number: no sign, point, exponent or leading zero. */
export const UNSIGNED_INTEGER_PATTERN = '^(0|[1-9][0-9]*)$';

/** An amount in smallest units: up to 78 digits, the length of 2^256-1. */
export const AMOUNT_PATTERN = '^(0|[1-9][0-9]{0,77})$';

/** Calldata: whole bytes in hex. */
export const CALLDATA_PATTERN = '^0x([a-fA-F0-9]{2})*$';

/** A block or transaction hash. */
export const HASH_PATTERN = '^0x[a-fA-F0-9]{64}$';
/** The form of a movement's id. */
export const MOVEMENT_ID_PATTERN = '^mov_[0-9a-f]{40}$';

/** A request id that the caller chose; the answer carries it. */
export const REQUEST_ID_PATTERN = '^[A-Za-z0-9._-]{1,128}$';

const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
const SPACES = ' \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000';

/** These turn the direction of the text behind them, or are not seen. Two texts that look alike must be the same. */
const HIDDEN =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';
/** Some scripts and emoji are written with them. References are not. */
const JOINERS = '\\u200c\\u200d\\ufe00-\\ufe0f';

/** A text on one line: not blank, and without control and hidden characters. Matching it needs no backtracking. */
export const LINE_PATTERN = lineWithout(`${CONTROLS}${HIDDEN}`);
/** A reference, which is compared character by character: a line without joiners. */
export const REFERENCE_PATTERN = lineWithout(`${CONTROLS}${HIDDEN}${JOINERS}`);

function lineWithout(refused: string): string {
  return `^[${SPACES}]*[^${SPACES}${refused}][^${refused}]*$`;
}

/** The shape of an RFC 3339 date-time; the ranges of its parts are checked afterwards. */
export const TIMESTAMP_PATTERN =
  '^(\\d{4})-(\\d{2})-(\\d{2})[Tt](\\d{2}):(\\d{2}):(\\d{2})(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$';

/** Both addresses that mean the chain's native currency: that of EIP-7528, and zero. Lower case. */
export const NATIVE_ADDRESSES: readonly string[] = [
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  '0x0000000000000000000000000000000000000000',
];

/** The address of the native currency in EIP-7528, in EIP-55 letter case, as token lists show it. */
export const NATIVE_ADDRESS = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

/** Limits of request fields. */
export const LIMITS = {
  slippageBps: { minimum: 0, maximum: 5000, default: 50 },
  maxHops: { minimum: 1, maximum: 3, default: 3 },
  maxSplits: { minimum: 1, maximum: 16, default: 16 },
  excludeSources: { maximum: 32 },
  excludeTokens: { maximum: 32 },
  excludePools: { maximum: 32 },
  bodyBytes: 65_536,
  bodyDepth: 32,
  /** How long a swap may be executed when the request names no deadline. */
  defaultDeadlineMinutes: 20,
  clientReferenceLength: 128,
  providerReferenceLength: 128,
  labelLength: 128,
  /** The number of a version in the database: 32 bits with a sign. */
  recipientVersion: 2_147_483_647,
  corridorIdLength: 64,
  timezoneLength: 64,
  spreadsheetRows: 100_000,
  checkProviderLength: 64,
  closeNoteLength: 500,
  failureDetailLength: 200,
  deductions: 16,
  holdNeeds: 10,
  holdNeedLength: 200,
  logIndex: { minimum: 0, maximum: 2_147_483_647 },
  /** att_, the 32 digits of the plan and the 4 of the position. */
  attemptIdLength: 40,
  nonce: { minimum: 0, maximum: 2_147_483_647 },
  collectMessageLength: 500,
  /** The limit of a signature; those of contract wallets with many owners are long. */
  signatureBytes: 4096,
  collectLifeSeconds: { minimum: 3_600, maximum: 90 * 86_400, default: 14 * 86_400 },
  metadata: { maximum: 20, nameLength: 64, valueLength: 256 },
  pageSize: { minimum: 1, maximum: 100, default: 20 },
  /** A page ends before the item that would make it longer, but has one item at least. */
  pageBytes: 262_144,
} as const;

/** How long a collect link can live, in words: the range that a request may choose from, and the default. */
export const COLLECT_LIFE_TEXTS = {
  range: `from ${durationText(LIMITS.collectLifeSeconds.minimum)} to ${durationText(LIMITS.collectLifeSeconds.maximum)}`,
  default: durationText(LIMITS.collectLifeSeconds.default),
} as const;

/** Whole days or else hours in words, such as "one hour" or "90 days". */
function durationText(seconds: number): string {
  const [count, unit] = seconds % 86_400 === 0 ? [seconds / 86_400, 'day'] : [seconds / 3_600, 'hour'];
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`;
}

/** A chain's EIP-155 id. */
export const ChainId = Type.Integer({
  minimum: 0,
  maximum: Number(MAX_UINT64),
  format: 'uint64',
  description: 'EIP-155 chain id, written in plain decimal digits (uint64).',
  examples: [31337],
});

/** A block number. */
export const BlockNumber = Type.Integer({
  minimum: 0,
  maximum: Number(MAX_UINT64),
  format: 'uint64',
  description: 'Block number (uint64).',
  examples: [19000000],
});

/** A contract, token or account address. */
export const EvmAddress = Type.String({
  pattern: EVM_ADDRESS_PATTERN,
  description:
    'EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55.',
  examples: ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
});

const NATIVE_TOO = `Native currency is ${NATIVE_ADDRESS} or the zero address.`;

/** The token that a trade gives. */
export const TokenIn = { ...EvmAddress, description: `The token to pay with. ${NATIVE_TOO}` };

/** The token that a trade brings. */
export const TokenOut = { ...EvmAddress, description: `The token to get. ${NATIVE_TOO}` };

/** A number of smallest units as a string. */
export const Amount = Type.String({
  pattern: AMOUNT_PATTERN,
  description:
    'Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number.',
  examples: ['1000000'],
});

/** The body of an operation without members. */
export const EmptyRequest = Type.Object(
  {},
  { additionalProperties: false, description: 'Nothing. The body may be left out.' },
);

/** An instant. */
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601 date-time with a time zone (RFC 3339).',
  examples: ['2026-03-01T12:00:00.000Z'],
});

/** Which side of the trade is exact. */
export const TradeType = wordOf(['EXACT_IN', 'EXACT_OUT'], {
  description:
    'EXACT_IN: the given amount is the exact input and the response gives the output. EXACT_OUT: the given amount is the exact output and the response gives the required input.',
});
export type TradeType = Static<typeof TradeType>;

/** Accepted price movement in hundredths of a percent. */
export const SlippageBps = Type.Integer({
  minimum: LIMITS.slippageBps.minimum,
  maximum: LIMITS.slippageBps.maximum,
  default: LIMITS.slippageBps.default,
  description:
    'Accepted slippage in basis points (hundredths of a percent), 0 to 5000. Absent: 50, which is 0.5 %.',
});

/** Accepted price movement as an answer says it, where nothing is left out. */
export const AppliedSlippageBps = Type.Integer({
  minimum: LIMITS.slippageBps.minimum,
  maximum: LIMITS.slippageBps.maximum,
  description: 'Accepted slippage in basis points (hundredths of a percent).',
});

/** Pools a path may pass through. */
export const MaxHops = Type.Integer({
  minimum: LIMITS.maxHops.minimum,
  maximum: LIMITS.maxHops.maximum,
  default: LIMITS.maxHops.default,
  description: 'The most pools one path may pass through.',
});

/** Paths a trade may be split over. */
export const MaxSplits = Type.Integer({
  minimum: LIMITS.maxSplits.minimum,
  maximum: LIMITS.maxSplits.maximum,
  default: LIMITS.maxSplits.default,
  description: 'The most paths the trade may be split over.',
});

/** How many nodes said alike what an answer depends on, of how many are configured. */
export const Trust = Type.Object(
  {
    agreed: Type.Integer({ minimum: 1, description: 'Nodes that said the same.' }),
    of: Type.Integer({ minimum: 1, description: 'Nodes that are configured.' }),
  },
  {
    description:
      'How many nodes of the chain said alike what this depends on, of how many that are configured.',
  },
);

/** A block hash. */
export const BlockHash = Type.String({ pattern: HASH_PATTERN, description: 'Hash of a block.' });

/** A transaction's hash. */
export const TxHash = Type.String({ pattern: HASH_PATTERN, description: 'Hash of a transaction.' });

/** How a claim was checked. */
export const Verification = wordOf(['VERIFIED', 'REPORTED', 'UNVERIFIABLE'], {
  description:
    "VERIFIED: read on the chain; a deposit also came to options.depositAddress, and a payout to a wallet from one of the corridor's payoutAddresses. REPORTED: the integrator says so, and a transaction that was named does not contradict it. UNVERIFIABLE: there is nothing to check it against.",
});

/** Why a plan is closed. `CloseReason` of the plan is the same: the service does not compile where they differ. */
export const CLOSE_REASONS = ['REFUNDED', 'SETTLED_ELSEWHERE', 'ABANDONED', 'OTHER'] as const;
