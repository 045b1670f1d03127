import { type Address, toAddress } from '@fairway/engine';
import { concat, encodeFunctionData, type Hex, keccak256, numberToHex, parseAbi } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { decodeAggregate, encodeAggregate } from '../rpc/multicallCoding.ts';
import { type BlockCall, type CallResult, simulateCalls } from '../rpc/simulateCalls.ts';
import type { Head } from '../types.ts';
import type { MeasuredTransfer } from './tokenBehaviour.ts';

const ABI = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
]);

/** Parts of a pool's balance that are transferred: a tax may begin at an amount, and a rounding shows at some amounts only. */
const PARTS = [7n, 31n, 211n, 1511n, 10_007n];

/** Gas of a call, so that a token that burns all it gets spoils no other measurement. */
const CALL_GAS = numberToHex(2_000_000);

/** Who simulates. `spender`: the contract that pulls from accounts what they sell. Addresses in lower case. */
export type TransferProbe = {
  readonly request: RpcRequest;
  readonly multicall3: Address;
  readonly spender: Address;
};

/** What pools hold of a token. */
export type Holder = { readonly pool: Address; readonly balance: bigint };

/**
 * Measures what a token's transfers move between its pools and an account, both ways, as swaps do them: a pool transfers, the
 * spender pulls. One request; pools really hold the token, so that no storage has to be known. Transfers that fail are left out, and say
 * nothing. Undefined where the node does not simulate. Rejects as `request` does.
 */
export async function measureTransfers(
  { request, multicall3, spender }: TransferProbe,
  block: Head,
  token: Address,
  holders: readonly Holder[],
): Promise<readonly MeasuredTransfer[] | undefined> {
  const trials = holders.flatMap(({ pool, balance }) => trialsAt(token, block, pool, balance));
  const calls = trials.flatMap(({ pool, account, paid, sold }) => {
    const balances = balancesCall(multicall3, token, pool, account);
    return [
      balances,
      call(pool, token, encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [account, paid] })),
      balances,
      call(account, token, encodeFunctionData({ abi: ABI, functionName: 'approve', args: [spender, sold] })),
      call(
        spender,
        token,
        encodeFunctionData({ abi: ABI, functionName: 'transferFrom', args: [account, pool, sold] }),
      ),
      balances,
    ];
  });
  if (calls.length === 0) return [];
  const results = await simulateCalls(request, block, calls);
  return (
    results && trials.flatMap((trial, index) => measured(trial, results.slice(6 * index, 6 * index + 6)))
  );
}

type Trial = {
  readonly pool: Address;
  readonly account: Address;
  readonly paid: bigint;
  readonly sold: bigint;
};

function trialsAt(token: Address, { hash }: Head, pool: Address, balance: bigint): Trial[] {
  // An account that no token can know before the block.
  const account = toAddress(`0x${keccak256(concat([hash, token, pool])).slice(-40)}`);
  return PARTS.map((part) => balance / part)
    .filter((paid) => paid > 1n)
    .map((paid) => ({ pool, account, paid, sold: (paid * 2n) / 3n }));
}

function measured({ pool, paid, sold }: Trial, results: readonly CallResult[]): MeasuredTransfer[] {
  const [first, transfer, second, approve, pull, third] = results;
  const [before, between, after] = [first, second, third].map(balancesOf);
  if (before === undefined || between === undefined) return [];
  const found: MeasuredTransfer[] = [];
  if (succeeded(transfer))
    found.push({
      ...{ pool, way: 'FROM_POOL', asked: paid },
      ...{ taken: before.pool - between.pool, arrived: between.account - before.account },
    });
  if (succeeded(approve) && succeeded(pull) && after !== undefined)
    found.push({
      ...{ pool, way: 'TO_POOL', asked: sold },
      ...{ taken: between.account - after.account, arrived: after.pool - between.pool },
    });
  return found;
}

function call(from: Address, to: Address, data: Hex): BlockCall {
  return { from, to, data, gas: CALL_GAS };
}

function balancesCall(multicall3: Address, target: Address, pool: Address, account: Address): BlockCall {
  const reads = [pool, account].map((owner) => ({
    target,
    callData: encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [owner] }),
  }));
  return { to: multicall3, data: encodeAggregate(reads), gas: CALL_GAS };
}

function balancesOf(result: CallResult | undefined): { pool: bigint; account: bigint } | undefined {
  if (result === undefined || !succeeded(result)) return undefined;
  const [pool, account] = decodeAggregate(result.returnData, 2);
  return pool?.length === 66 && account?.length === 66
    ? { pool: BigInt(pool), account: BigInt(account) }
    : undefined;
}

/** A call of a token that says false has done nothing. */
function succeeded(result: CallResult | undefined): result is CallResult {
  return result !== undefined && BigInt(result.status) === 1n && !/^0x0{64}$/.test(result.returnData);
}
