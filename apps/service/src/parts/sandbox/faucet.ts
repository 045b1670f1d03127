import { NATIVE_ADDRESSES } from '@fairway/wire';
import {
  addError,
  addressField,
  amountField,
  complete,
  done,
  eip55,
  type FieldReader,
  type Fields,
  type GivenAddress,
  innerFields,
  optional,
  type Outcome,
  type ProblemFacts,
  refuse,
  required,
} from '@fairway/api';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { type GivenToken, readToken, TOKEN_FIELDS } from '../../platform/chains/givenToken.ts';
import { withMeantAmount } from '../trading/index.ts';
import { sandboxRefused } from './problems.ts';
import type { FaucetOrder, SandboxDeps } from './deps.ts';

/** The most whole tokens that the faucet gives at once. Sums of balances in contracts would overflow with much more. */
const MOST_WHOLE_TOKENS = 1_000_000_000_000n;

/** An order for the faucet. Without `asset` it is for native currency. */
export type FaucetAsk = {
  readonly account: GivenAddress;
  readonly amount: bigint;
  readonly asset: GivenToken | undefined;
};

const trueField: FieldReader<true> = {
  must: 'true, or absent',
  read: (given) => (given === true ? { ok: true, value: true } : { ok: false }),
};

/** Reads a request to the faucet; undefined when a field is wrong. */
export function readFaucet(fields: Fields, chains: ReadonlyMap<number, ChainService>): FaucetAsk | undefined {
  const account = required(fields, 'address', addressField);
  const inner = innerFields(fields, 'asset', TOKEN_FIELDS);
  const asset = inner && readToken(inner, chains);
  optional(fields, 'native', trueField);
  const amount = required(fields, 'amount', amountField);
  if (fields.values.has('asset') === fields.values.has('native')) {
    addError(fields, 'asset', 'Send either asset, or native: true.');
  }
  const read = complete(fields, { account, amount });
  return read && { ...read, asset };
}

/** Gives an account native currency or a token. Answers what it gave. */
export async function useFaucet(sandbox: SandboxDeps, ask: FaucetAsk): Promise<Outcome<FaucetOrder>> {
  const { asset, amount } = ask;
  const { given: address } = ask.account;
  if (asset !== undefined && asset.chainId !== sandbox.chainId) {
    const detail = `asset is on chain ${asset.chainId}; the faucet is on ${sandbox.chainId}.`;
    return refuse({ code: 'unknown-token', detail, errors: [{ pointer: '/asset/chainId', detail }] });
  }
  if (asset === undefined || NATIVE_ADDRESSES.includes(asset.address))
    return give(sandbox, { address, native: true, amount }, { symbol: 'ETH', decimals: 18 });
  const listed = sandbox.tokens.find((known) => known.address.toLowerCase() === asset.address);
  if (listed === undefined) {
    const detail = `asset ${eip55(asset.address)} is not a token of the sandbox; GET /v1/sandbox lists them.`;
    return refuse({ code: 'unknown-token', detail, errors: [{ pointer: '/asset/address', detail }] });
  }
  return give(sandbox, { address, token: listed.address, amount }, listed);
}

async function give(
  sandbox: SandboxDeps,
  order: FaucetOrder,
  token: { readonly symbol: string; readonly decimals: number },
): Promise<Outcome<FaucetOrder>> {
  const most = MOST_WHOLE_TOKENS * 10n ** BigInt(token.decimals);
  if (order.amount > most) {
    const detail = `amount is beyond what the faucet gives at once, which is ${most}.`;
    const problem: ProblemFacts = {
      code: 'amount-out-of-range',
      detail,
      errors: [{ pointer: '/amount', detail }],
    };
    const unfit = { pointer: '/amount', units: order.amount, token, fault: 'TOO_LARGE' } as const;
    return refuse(withMeantAmount(problem, unfit, (units) => units <= most));
  }
  const given = await sandbox.faucet(order);
  if (!given.ok) return refuse(sandboxRefused(given, '/address'));
  return done(order);
}
