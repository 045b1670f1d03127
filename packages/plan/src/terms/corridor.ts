import type { PayeeCheck, RecipientType } from '@fairway/recipients';
import { readDuration } from '@fairway/values';
import { type Amount, amountOf, isLess } from './amount.ts';
import type { Address, Mode, TimeMs } from './scalars.ts';
import { minorDecimalsOf } from './currencies.ts';

/**
 * How a corridor's token becomes its currency. PEGGED: a unit of the token is a unit of the currency, as the operator
 * declares. CUSTODIAN: the custodian converts it, at a rate of its own.
 */
export type Conversion = 'PEGGED' | 'CUSTODIAN';

/** A way from a token on a chain to where money is paid out. Addresses in lower case. */
export type Corridor = {
  readonly id: string;
  readonly source: { readonly chainId: number; readonly token: Address };
  readonly target: {
    readonly type: 'BANK' | 'WALLET' | 'EMONEY' | 'EMAIL';
    /** ISO 3166-1 alpha-2; present for BANK. */
    readonly country?: string;
    /** What the recipient is paid in: ISO 4217, or a token's symbol. */
    readonly currency: string;
    /** Absent: CUSTODIAN. */
    readonly conversion?: Conversion;
    readonly rail?: string;
    /** The names of the providers whose eMoney wallets are paid. Absent: any. */
    readonly emoneyProviders?: readonly string[];
    /** The chain and the token of the swap's output, which the custodian receives. */
    readonly chainId: number;
    readonly token: Address;
    /** The decimals of that token, as a plan keeps them. Absent in a configuration. */
    readonly decimals?: number;
    readonly custodian: string;
    /** Where the swap's output goes. */
    readonly settlementAddress: Address;
    /** The accounts that the custodian pays wallets from. Without them a payout to a wallet is REPORTED. */
    readonly payoutAddresses?: readonly Address[];
  };
  readonly status: 'ACTIVE' | 'SUSPENDED';
  readonly modes: readonly Mode[];
  readonly recipientTypes: readonly RecipientType[];
  /** What a recipient who is e-mailed may choose; present for EMAIL. `bankCountries`: ISO 3166-1 alpha-2. */
  readonly destinations?: {
    readonly wallet: boolean;
    readonly bankCountries: readonly string[];
    readonly emoney: boolean;
  };
  readonly minAmountIn: Amount;
  readonly maxAmountIn: Amount;
  /** The amount of the source token below which a transfer is dust. Every plan has it in its own corridor. */
  readonly dustBelow?: Amount;
  /** Payments of more than `above`, in units of the source token, need another credential's approval. */
  readonly paymentApproval?: { readonly above: Amount };
  /**
   * Only registered recipients are paid, and their present details need a check of the payee with a result in `accepted`.
   * Absent: any.
   */
  readonly payeeCheck?: { readonly accepted: readonly Exclude<PayeeCheck['result'], 'NO_MATCH'>[] };
  /** How many blocks make a transaction final, its own block included. */
  readonly minConfirmations: number;
  /** ISO 8601 durations. */
  readonly settlementTime: { readonly min: string; readonly max: string };
};

/**
 * How a corridor's token becomes its currency.
 *
 * @example
 * ```ts
 * import { type Corridor, conversionOf } from '@fairway/plan';
 *
 * declare const corridor: Corridor;
 * const isOneToOne = conversionOf(corridor) === 'PEGGED';
 * ```
 */
export function conversionOf({ target }: Pick<Corridor, 'target'>): Conversion {
  return target.conversion ?? 'CUSTODIAN';
}

/** The parts of a request that decide whether a corridor takes it. */
export type CorridorAsk = {
  readonly mode: Mode;
  readonly recipientType: RecipientType;
  readonly amountIn: Amount;
};

/** Why a corridor does not take a request. */
export type CorridorRefusal =
  | { readonly reason: 'CORRIDOR_SUSPENDED' }
  | { readonly reason: 'MODE_NOT_SUPPORTED'; readonly modes: readonly Mode[] }
  | { readonly reason: 'RECIPIENT_TYPE_NOT_SUPPORTED'; readonly recipientTypes: readonly RecipientType[] }
  | { readonly reason: 'AMOUNT_OUT_OF_RANGE'; readonly minAmountIn: Amount; readonly maxAmountIn: Amount };

/**
 * The kinds of recipient that a corridor takes in a mode. DIGITAL_COLLECT takes an e-mail address alone, which STANDARD
 * does not take.
 *
 * @example
 * ```ts
 * import { type Corridor, recipientTypesOf } from '@fairway/plan';
 *
 * declare const corridor: Corridor;
 * const types = recipientTypesOf(corridor, 'DIGITAL_COLLECT'); // ['email']
 * ```
 */
export function recipientTypesOf(corridor: Corridor, mode: Mode): readonly RecipientType[] {
  if (mode === 'DIGITAL_COLLECT') return ['email'];
  return corridor.recipientTypes.filter((type) => type !== 'email');
}

/**
 * Why a corridor does not take a request; undefined when it does.
 *
 * @example
 * ```ts
 * import { amountOf, type Corridor, refuseByCorridor } from '@fairway/plan';
 *
 * declare const corridor: Corridor;
 * const ask = { mode: 'STANDARD', recipientType: 'bank', amountIn: amountOf(1_000n) } as const;
 * const refusal = refuseByCorridor(corridor, ask);
 * if (refusal?.reason === 'AMOUNT_OUT_OF_RANGE') console.log(refusal.minAmountIn, refusal.maxAmountIn);
 * ```
 */
export function refuseByCorridor(corridor: Corridor, ask: CorridorAsk): CorridorRefusal | undefined {
  const { modes, minAmountIn, maxAmountIn } = corridor;
  if (corridor.status === 'SUSPENDED') return { reason: 'CORRIDOR_SUSPENDED' };
  if (!modes.includes(ask.mode)) return { reason: 'MODE_NOT_SUPPORTED', modes };
  const recipientTypes = recipientTypesOf(corridor, ask.mode);
  if (!recipientTypes.includes(ask.recipientType))
    return { reason: 'RECIPIENT_TYPE_NOT_SUPPORTED', recipientTypes };
  if (isLess(ask.amountIn, minAmountIn) || isLess(maxAmountIn, ask.amountIn))
    return { reason: 'AMOUNT_OUT_OF_RANGE', minAmountIn, maxAmountIn };
  return undefined;
}

type Dusty = { readonly corridor: Pick<Corridor, 'dustBelow'>; readonly amountIn: Amount };

/** Where a corridor does not say it, what is below a thousandth of the planned amount is dust. */
const DUST_DIGITS = 3;

/**
 * The amount of the source token below which a transfer is dust: somebody's mistake or malice, and no beginning of a
 * payment.
 *
 * @example
 * ```ts
 * import { dustBelow, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const least = dustBelow(plan); // '1000' for a plan of '1000000' whose corridor does not say it
 * ```
 */
export function dustBelow({ corridor, amountIn }: Dusty): Amount {
  return corridor.dustBelow ?? amountOf(BigInt(amountIn.slice(0, -DUST_DIGITS) || '0'));
}

/**
 * Whether an amount of the source token is dust for a plan.
 *
 * @example
 * ```ts
 * import { isDust, type Plan, type Transfer } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const transfer: Transfer;
 * const isIgnored = isDust(plan, transfer.amount);
 * ```
 */
export function isDust(plan: Dusty, amount: Amount): boolean {
  return isLess(amount, dustBelow(plan));
}

/**
 * The deadline of instructions that only transfer: nothing on the chain enforces one. It is 9999-12-31T23:59:59Z, the last
 * second that a timestamp with a year of four digits can hold.
 */
export const NO_DEADLINE_MS: TimeMs = 253_402_300_799_000;

/**
 * Whether the source token is what the custodian pays from, so that the money is only transferred. Such instructions can
 * be executed for ever, so they are given out once.
 *
 * @example
 * ```ts
 * import { isTransferOnly, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const canExpire = !isTransferOnly(plan.corridor);
 * ```
 */
export function isTransferOnly({ source, target }: Pick<Corridor, 'source' | 'target'>): boolean {
  return source.chainId === target.chainId && source.token === target.token;
}

/**
 * When a payout becomes late: the corridor's longest settlement time after it became due.
 *
 * @example
 * ```ts
 * import { payoutDeadlineMs, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const readyAtMs: number;
 * const isLate = Date.now() > payoutDeadlineMs(plan, readyAtMs);
 * ```
 */
export function payoutDeadlineMs(
  { corridor }: { readonly corridor: Pick<Corridor, 'settlementTime'> },
  dueSinceMs: TimeMs,
): TimeMs {
  const longest = readDuration(corridor.settlementTime.max, dueSinceMs, 0);
  const longestSeconds = longest.ok ? longest.seconds : 0;
  return dueSinceMs + 1000 * longestSeconds;
}

/**
 * The smallest unit of the currency, in units of the token that is pegged to it. Undefined unless the token is finer
 * than the currency.
 *
 * @example
 * ```ts
 * import { minorUnitIn, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan; // pays a token of six decimals that is pegged to AUD
 * const cent = minorUnitIn(plan); // '10000'
 * ```
 */
export function minorUnitIn({
  corridor,
}: {
  readonly corridor: Pick<Corridor, 'target'>;
}): Amount | undefined {
  const { decimals = 0, currency } = corridor.target;
  const minor = minorDecimalsOf(currency);
  if (conversionOf(corridor) !== 'PEGGED' || minor === undefined || decimals <= minor) return undefined;
  return amountOf(10n ** BigInt(decimals - minor));
}
