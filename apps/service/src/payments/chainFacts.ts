import { toAddress } from '@fairway/engine';
import {
  BlockGoneError,
  readCalls,
  readDeposits,
  readTransaction,
  RpcAnswerError,
  RpcUnreachableError,
  type StandingCall,
  type TokenTransfer,
  type TransactionReading,
} from '@fairway/evm';
import {
  type Address,
  amountOf,
  countedTransfers,
  depositStep,
  type Hash,
  needsCalls,
  type Plan,
  type PlanEvent,
  sumOf,
  type Transfer,
  type TransactionFacts,
} from '@fairway/plan';
import type { ChainService } from '../chains/chainService.ts';

/** What a chain says of a transaction, or that it says nothing of use. */
export type FactsReading =
  | { readonly outcome: 'MINED'; readonly facts: TransactionFacts }
  | { readonly outcome: 'PENDING' | 'NONE' }
  | { readonly outcome: 'UNREACHABLE' };

/** Reads a transaction as plans judge it. */
export async function readTransactionFacts(
  chain: ChainService | undefined,
  txHash: Hash,
): Promise<FactsReading> {
  const reading = await reached(() => readFrom(chain, (request) => readTransaction(request, txHash)));
  if (reading === undefined) return { outcome: 'UNREACHABLE' };
  if (reading.found !== 'MINED') return { outcome: reading.found };
  return { outcome: 'MINED', facts: factsOf(chain, reading) };
}

/** The same of what may have executed a plan's swap: where it went through another contract, with the calls it made. */
export async function readSwapFacts(
  chain: ChainService | undefined,
  plan: Plan,
  txHash: Hash,
): Promise<FactsReading> {
  const reading = await reached(() =>
    readFrom(chain, async (request): Promise<FactsReading> => {
      const transaction = await readTransaction(request, txHash);
      if (transaction.found !== 'MINED') return { outcome: transaction.found };
      const facts = factsOf(chain, transaction);
      if (!needsCalls(plan, facts)) return { outcome: 'MINED', facts };
      const calls = await readCalls(request, transaction);
      if (calls === 'UNTRACEABLE') return { outcome: 'MINED', facts };
      return { outcome: 'MINED', facts: { ...facts, calls: calls.map(callFacts) } };
    }),
  );
  return reading ?? { outcome: 'UNREACHABLE' };
}

function callFacts({ to, input, transfers }: StandingCall): NonNullable<TransactionFacts['calls']>[number] {
  return { to: hex(to), input, transfers: transfers.map(transferFacts) };
}

function transferFacts({
  token,
  to,
  amount,
  logIndex,
}: TokenTransfer): TransactionFacts['transfers'][number] {
  return { token: hex(token), to: hex(to), amount, logIndex };
}

function factsOf(
  chain: ChainService | undefined,
  reading: Extract<TransactionReading, { found: 'MINED' }>,
): TransactionFacts {
  const { txHash, outcome, blockNumber, blockHash, sender, nonce, to, input, confirmations } = reading;
  return {
    chainId: chain?.chainId ?? 0,
    txHash,
    outcome,
    blockNumber: Number(blockNumber),
    blockHash,
    sender: hex(sender),
    nonce,
    to: to === undefined ? undefined : hex(to),
    input,
    confirmations: Number(confirmations),
    transfers: reading.transfers.map(transferFacts),
  };
}

/** What the chain shows at a plan's deposit address, as an event; undefined when it cannot be asked. */
export async function observeDeposit(
  chain: ChainService | undefined,
  plan: Plan,
  ignored: ReadonlySet<string> = new Set(),
): Promise<Extract<PlanEvent, { type: 'DEPOSIT_OBSERVED' }> | undefined> {
  const { corridor, options, watchFromBlock } = plan;
  const { depositAddress } = options;
  if (depositAddress === undefined) throw new Error('Only a plan with a deposit address is watched.');
  const reading = await reached(() =>
    readFrom(chain, (request) =>
      readDeposits(request, {
        token: toAddress(corridor.source.token),
        address: toAddress(depositAddress),
        fromBlock: BigInt(watchFromBlock),
      }),
    ),
  );
  if (reading === undefined) return undefined;
  const head = Number(reading.head.number);
  const seen = reading.transfers
    .map(
      ({ txHash, logIndex, blockNumber, blockHash, amount }): Transfer => ({
        chainId: corridor.source.chainId,
        txHash,
        logIndex,
        blockNumber: Number(blockNumber),
        blockHash,
        amount: amountOf(amount),
      }),
    )
    .filter((transfer) => transfer.amount !== '0' && !ignored.has(transferName(transfer)));
  const transfers = countedTransfers(plan.amountIn, seen);
  const confirmed = transfers.filter(
    ({ blockNumber }) => head - blockNumber + 1 >= corridor.minConfirmations,
  );
  return {
    type: 'DEPOSIT_OBSERVED',
    stepId: depositStep(plan).stepId,
    headNumber: head,
    received: sumOf(transfers.map(({ amount }) => amount)),
    confirmed: sumOf(confirmed.map(({ amount }) => amount)),
    transfers,
  };
}

/** Tells transfers apart. */
export function transferName({ txHash, logIndex }: { txHash: string; logIndex: number }): string {
  return `${txHash} ${logIndex}`;
}

/** A branded address of the engine as plans hold addresses: both are lower case. */
function hex(address: string): Address {
  return address as Address;
}

async function readFrom<T>(
  chain: ChainService | undefined,
  read: (request: ChainService['request']) => Promise<T>,
): Promise<T> {
  if (chain === undefined) throw new RpcUnreachableError('The chain is not served.');
  return read(chain.request);
}

/** The answer, or undefined when the node cannot give one at the moment. */
export async function reached<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const away = [RpcUnreachableError, RpcAnswerError, BlockGoneError];
    if (away.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}
