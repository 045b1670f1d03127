import { createHash } from 'node:crypto';
import { type Address, amountOf, type Corridor } from '@fairway/plan';

/** The facts about a token that corridors need. */
type Token = { readonly address: string; readonly symbol: string; readonly decimals: number };

/** The members of a sandbox corridor that say where its money is paid out. */
type Target = Pick<Corridor['target'], 'type' | 'country' | 'currency' | 'conversion' | 'rail'>;

/** The account of the sandbox custodian. It has no private key; the sandbox chain sends transactions for it. */
const custodianAddress: Address = `0x${createHash('sha256').update('fairway sandbox custodian').digest('hex').slice(24)}`;

/**
 * The sandbox's corridors. They use its fictional stablecoins. They pay to Australian and German bank accounts, to
 * wallets with and without a swap, and to e-money accounts. One pays to a destination that an e-mailed recipient chooses.
 * tAUD and tEUR are declared to be worth a unit of their currency. USDC is worth none in PHP: there the custodian
 * converts it.
 */
export function sandboxCorridors(chainId: number, tokens: readonly Token[]): readonly Corridor[] {
  const tokenOf = (symbol: string): Token => {
    const token = tokens.find((each) => each.symbol === symbol);
    if (token === undefined) throw new Error(`The sandbox has no ${symbol}`);
    return token;
  };

  function corridor(
    id: string,
    [from, to]: readonly [string, string],
    target: Target,
    settlementTime: Corridor['settlementTime'],
    bankCountries: readonly string[] = [],
  ): Corridor {
    const source = tokenOf(from);
    const whole = 10n ** BigInt(source.decimals);
    const isCollect = target.type === 'EMAIL';
    return {
      id,
      source: { chainId, token: source.address.toLowerCase() as Address },
      target: {
        ...target,
        chainId,
        token: tokenOf(to).address.toLowerCase() as Address,
        custodian: 'Sandbox custodian',
        settlementAddress: custodianAddress,
        ...(target.type === 'WALLET' || isCollect ? { payoutAddresses: [custodianAddress] } : {}),
      },
      status: 'ACTIVE',
      modes: [isCollect ? 'DIGITAL_COLLECT' : 'STANDARD'],
      recipientTypes: [RECIPIENT_TYPES[target.type]],
      ...(isCollect ? { destinations: { wallet: true, bankCountries, emoney: true } } : {}),
      minAmountIn: amountOf(whole),
      maxAmountIn: amountOf(100_000n * whole),
      minConfirmations: 1,
      settlementTime,
    };
  }

  const dollarsOfAustralia = {
    type: 'BANK',
    country: 'AU',
    currency: 'AUD',
    conversion: 'PEGGED',
    rail: 'NPP',
  } as const;
  const days = { min: 'PT1M', max: 'P1D' };
  const dollars = { type: 'WALLET', currency: 'USDC', conversion: 'PEGGED' } as const;
  const euros = { currency: 'EUR', conversion: 'PEGGED' } as const;
  const pesos = { currency: 'PHP', conversion: 'CUSTODIAN' } as const;
  return [
    corridor('usdc-aud-bank', ['USDC', 'tAUD'], dollarsOfAustralia, days),
    corridor(
      'usdc-eur-iban',
      ['USDC', 'tEUR'],
      { type: 'BANK', country: 'DE', currency: 'EUR', conversion: 'PEGGED', rail: 'SEPA' },
      days,
    ),
    // Every payment waits for a second credential: nothing else differs from usdc-aud-bank.
    {
      ...corridor('usdc-aud-approval', ['USDC', 'tAUD'], dollarsOfAustralia, days),
      paymentApproval: { above: amountOf(0n) },
    },
    corridor('usdt-usdc-wallet', ['USDT', 'USDC'], dollars, days),
    corridor('usdc-wallet', ['USDC', 'USDC'], dollars, days),
    corridor('usdc-php-emoney', ['USDC', 'USDC'], { type: 'EMONEY', ...pesos }, days),
    corridor('usdc-eur-collect', ['USDC', 'tEUR'], { type: 'EMAIL', ...euros }, days, EURO_COUNTRIES),
    corridor('usdc-php-collect', ['USDC', 'USDC'], { type: 'EMAIL', ...pesos }, days, ['PH']),
  ];
}

/** The countries of bank accounts to which the collect corridor in euros pays. */
const EURO_COUNTRIES = ['AT', 'BE', 'DE', 'ES', 'FI', 'FR', 'IE', 'IT', 'LU', 'NL', 'PT'];

const RECIPIENT_TYPES = { BANK: 'bank', WALLET: 'wallet', EMONEY: 'emoney', EMAIL: 'email' } as const;
