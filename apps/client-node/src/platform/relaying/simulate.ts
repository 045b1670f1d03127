import { type BlockCall, type CallResult, type ChainRpc, latestHead, simulateCalls } from '@fairway/evm';
import type { Asked, BalanceChange } from '@fairway/policies';
import type { Hex } from '@fairway/relay';
import { type GivenCall, NATIVE } from '@fairway/sdk/checks';
import type { JudgedBlock } from './callFacts.ts';

/** What calls do to balances, and the gas that they use together. */
export type Simulated = { readonly changes: readonly BalanceChange[]; readonly gas: bigint };

/** An address without code, which gets code that reads what an account has of the native currency. */
const READER: Hex = '0xba1a000000000000000000000000000000000001';
/** CALLDATALOAD(0), BALANCE, and its 32 bytes are returned. */
const READER_CODE: Hex = '0x6000353160005260206000f3';

/**
 * Runs calls on the own nodes, on top of a block, and sends nothing. Undefined where the nodes do not offer it.
 * Gas is free there, so that balances move by the calls alone.
 */
export async function simulate(
  request: ChainRpc['request'],
  head: JudgedBlock,
  asked: Asked,
  calls: readonly GivenCall[],
): Promise<Simulated | 'REVERTED' | undefined> {
  const first = await simulateOnce(request, head, asked, calls);
  // A node that is just making a block may have taken another state, or have another block by now.
  return typeof first === 'object' ? first : simulateOnce(request, await latestHead(request), asked, calls);
}

type Held = { readonly account: string; readonly token: string };

async function simulateOnce(
  request: ChainRpc['request'],
  head: JudgedBlock,
  asked: Asked,
  calls: readonly GivenCall[],
): Promise<Simulated | 'REVERTED' | undefined> {
  const held = heldBy(asked);
  const reads = held.map(balanceCall);
  const made = calls.map(({ to, data, value }) => ({
    ...{ from: asked.sender as Hex, to: to as Hex, data: data as Hex },
    value: `0x${BigInt(value).toString(16)}` as const,
  }));
  const overrides = { [READER]: { code: READER_CODE } };
  const results = await simulateCalls(request, head, [...reads, ...made, ...reads], overrides);
  if (results === undefined) return undefined;
  const executed = results.slice(reads.length, reads.length + made.length);
  if (executed.some(({ status }) => BigInt(status) !== 1n)) return 'REVERTED';
  const changes: BalanceChange[] = [];
  for (const [index, each] of held.entries()) {
    const [before, after] = [
      balanceIn(results[index]),
      balanceIn(results[results.length - reads.length + index]),
    ];
    if (before === undefined || after === undefined) return undefined;
    changes.push({ ...each, change: after - before });
  }
  return { changes, gas: executed.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n) };
}

/** Whose balances are looked at: all of the sender's that calls may touch, and what the recipient is paid. */
function heldBy({ sender, recipient, tokenIn, tokenOut }: Asked): Held[] {
  const tokens = [...new Set([tokenIn, tokenOut, NATIVE])];
  const own = tokens.map((token) => ({ account: sender, token }));
  return recipient === sender ? own : [...own, { account: recipient, token: tokenOut }];
}

function balanceCall({ account, token }: Held): BlockCall {
  const word = account.slice(2).padStart(64, '0');
  return token === NATIVE
    ? { to: READER, data: `0x${word}` }
    : { to: token as Hex, data: `0x70a08231${word}` };
}

/** The number that a call returned; undefined where it failed or returned something else. */
function balanceIn(result: CallResult | undefined): bigint | undefined {
  if (result === undefined || BigInt(result.status) !== 1n || result.returnData.length !== 66)
    return undefined;
  return BigInt(result.returnData);
}
