import { type Amount, isLess } from './amount.ts';
import type { RecipientType } from './recipient.ts';
import type { Address, Mode } from './scalars.ts';

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
    readonly rail?: string;
    /** The chain and token that the custodian is given: the swap's output. */
    readonly chainId: number;
    readonly token: Address;
    readonly custodian: string;
    /** Where the swap's output goes. */
    readonly settlementAddress: Address;
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
  /** Blocks, the transaction's own included, after which it counts as final. */
  readonly minConfirmations: number;
  /** ISO 8601 durations. */
  readonly settlementTime: { readonly min: string; readonly max: string };
};

/** What of a request decides whether a corridor takes it. */
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

/** What kinds of recipient a corridor takes in a mode: with DIGITAL_COLLECT an e-mail address, and only there. */
export function recipientTypesOf(corridor: Corridor, mode: Mode): readonly RecipientType[] {
  if (mode === 'DIGITAL_COLLECT') return ['email'];
  return corridor.recipientTypes.filter((type) => type !== 'email');
}

/** Why a corridor does not take a request; undefined when it does. */
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
