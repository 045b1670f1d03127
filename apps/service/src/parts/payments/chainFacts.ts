import {
  BlockGoneError,
  NodeNonsenseError,
  NodesDisagreeError,
  readCalls,
  readTransaction,
  RpcAnswerError,
  RpcUnreachableError,
  type ReceiptGas,
  type StandingCall,
  type TokenTransfer,
  type TransactionReading,
} from '@fairway/evm';
import {
  type Address,
  amountOf,
  type Hash,
  needsCalls,
  type Plan,
  type SignedFacts,
  type TransactionFacts,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { ChainService } from '../../platform/chains/chainService.ts';

/**
 * What a chain knows about a transaction. MINED: the facts about it. PENDING: it waits to be mined; `signed` is what its
 * sender signed, where that is proven. NONE: the chain does not have it. UNREACHABLE: the node cannot answer now.
 */
export type FactsReading =
  | { readonly outcome: 'MINED'; readonly facts: TransactionFacts }
  | { readonly outcome: 'PENDING'; readonly signed?: SignedFacts }
  | { readonly outcome: 'NONE' | Away };

/** Why a chain cannot be read now: too few nodes answer, or they contradict each other. */
export type Away = 'UNREACHABLE' | 'CONTRADICTED';

/** Reads the facts about a transaction that the rules of plans judge. */
export async function readTransactionFacts(
  chain: ChainService | undefined,
  txHash: Hash,
): Promise<FactsReading> {
  const read = await readOrAway(() => readFrom(chain, (request) => readTransaction(request, txHash)));
  if (!read.ok) return { outcome: read.away };
  const reading = read.value;
  return reading.found === 'MINED' ? { outcome: 'MINED', facts: factsOf(chain, reading) } : unmined(reading);
}

/**
 * Reads the facts about a transaction that may have executed a plan's swap. When the transaction called another
 * contract than the instructions name, the facts include the calls of that contract, if the node can trace them.
 */
export async function readSwapFacts(
  chain: ChainService | undefined,
  plan: Plan,
  txHash: Hash,
): Promise<FactsReading> {
  const read = await readOrAway(() =>
    readFrom(chain, async (request): Promise<FactsReading> => {
      const transaction = await readTransaction(request, txHash);
      if (transaction.found !== 'MINED') return unmined(transaction);
      const facts = factsOf(chain, transaction);
      if (!needsCalls(plan, facts)) return { outcome: 'MINED', facts };
      const calls = await readCalls(request, transaction);
      if (calls === 'UNTRACEABLE') return { outcome: 'MINED', facts };
      return { outcome: 'MINED', facts: { ...facts, calls: calls.map(callFacts) } };
    }),
  );
  return read.ok ? read.value : { outcome: read.away };
}

function unmined(reading: Exclude<TransactionReading, { found: 'MINED' }>): FactsReading {
  if (reading.found === 'NONE' || reading.posted === undefined) return { outcome: reading.found };
  const { sender, nonce, to, input } = reading.posted;
  const signed = { sender: planAddress(sender), nonce, to: to && planAddress(to), input };
  return { outcome: 'PENDING', signed };
}

function callFacts({ to, input, transfers }: StandingCall): NonNullable<TransactionFacts['calls']>[number] {
  return { to: planAddress(to), input, transfers: transfers.map(transferFacts) };
}

function transferFacts({
  token,
  from,
  to,
  amount,
  logIndex,
}: TokenTransfer): TransactionFacts['transfers'][number] {
  return {
    token: planAddress(token),
    from: planAddress(from),
    to: planAddress(to),
    amount,
    logIndex,
  };
}

function factsOf(
  chain: ChainService | undefined,
  reading: Extract<TransactionReading, { found: 'MINED' }>,
): TransactionFacts {
  const { txHash, outcome, blockNumber, blockHash, timestampSeconds } = reading;
  const { sender, nonce, to, input, confirmations, gas } = reading;
  return {
    chainId: chain?.chainId ?? 0,
    txHash,
    outcome,
    blockNumber: Number(blockNumber),
    blockHash,
    blockTimeMs: 1000 * Number(timestampSeconds),
    sender: planAddress(sender),
    nonce,
    to: to === undefined ? undefined : planAddress(to),
    input,
    confirmations: Number(confirmations),
    transfers: reading.transfers.map(transferFacts),
    ...defined({ trust: chain?.trust, gas: gas && gasFacts(gas) }),
  };
}

function gasFacts({ units, costWei }: ReceiptGas): TransactionFacts['gas'] {
  const cost = costWei === undefined ? undefined : amountOf(costWei);
  return { units: amountOf(units), ...defined({ costWei: cost }) };
}

/** A name of a transfer that no other transfer on its chain has: `isSameLog` where the chain is known. */
export function transferName({ txHash, logIndex }: { txHash: string; logIndex: number }): string {
  return `${txHash} ${logIndex}`;
}

/** An address of the engine as an address of a plan. Both types hold lower case. */
function planAddress(address: string): Address {
  return address as Address;
}

async function readFrom<T>(
  chain: ChainService | undefined,
  read: (request: ChainService['request']) => Promise<T>,
): Promise<T> {
  if (chain === undefined) throw new RpcUnreachableError('The chain is not served.');
  return read(chain.request);
}

/** Reads from a chain; undefined when the chain cannot be read now. */
export async function reached<T>(read: () => Promise<T>): Promise<T | undefined> {
  const result = await readOrAway(read);
  return result.ok ? result.value : undefined;
}

/** What was read, or why it could not be. */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly away: Away };

/** Reads from a chain, or says why the chain cannot be read now. */
export async function readOrAway<T>(read: () => Promise<T>): Promise<Read<T>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    if (error instanceof NodesDisagreeError) return { ok: false, away: 'CONTRADICTED' };
    const away = [RpcUnreachableError, RpcAnswerError, NodeNonsenseError, BlockGoneError];
    if (away.some((kind) => error instanceof kind)) return { ok: false, away: 'UNREACHABLE' };
    throw error;
  }
}
