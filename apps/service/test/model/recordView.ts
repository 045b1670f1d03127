import {
  amountOf,
  awaitedRefunds,
  type Evidence,
  type FoundExecution,
  type FoundRefund,
  type Hash,
  type Plan,
  type RecordedTransfer,
  type RecordView,
  refundsAgain,
  standingMovements,
  type TransferPlace,
} from '@fairway/plan';
import { gasIn } from './refChain.ts';
import type { RefBlock } from './referenceLedger.ts';
import type { Kept, World } from './worldTypes.ts';

/** What the service's record shows of a plan. */
export function viewOf({ record, kept }: World, one: Kept): RecordView {
  const { plan } = one;
  const readNumber = record.length;
  const { depositAddress } = plan.options;
  const deposits = record.flatMap((block) =>
    block.transfers
      .filter(({ to }) => to === depositAddress && holderOf(kept, to, block.number) === one)
      .map((transfer) => recorded(block, transfer)),
  );
  const executions = record.flatMap((block) =>
    [
      ...Map.groupBy(
        block.executions.filter(({ attempt }) => one.attempts.includes(attempt)),
        ({ tx }) => tx,
      ).values(),
    ].flatMap(([first, ...others]) =>
      first === undefined ? [] : [found(one, readNumber, block, first, others)],
    ),
  );
  const canonical = new Set(record.map(({ hash }) => hash));
  const gone = standingMovements(plan).flatMap(({ transfer }): TransferPlace[] => {
    if (transfer?.logIndex === undefined || canonical.has(transfer.blockHash)) return [];
    const { chainId, txHash, blockHash, logIndex } = transfer;
    return [{ chainId, txHash, blockHash, logIndex }];
  });
  const refunds = (awaitedRefunds(plan)?.txHashes ?? []).flatMap((txHash) => refundsIn(record, plan, txHash));
  return { readNumber, deposits, executions, refunds, gone };
}

/** The refunds of a transaction that is on the chain again. */
function refundsIn(record: readonly RefBlock[], plan: Plan, txHash: Hash): readonly FoundRefund[] {
  const block = record.find(({ transfers }) => transfers.some(({ tx }) => tx === txHash));
  if (block === undefined) return [];
  const transfers = block.transfers.flatMap(({ tx, log, token, from, to, amount }) =>
    tx === txHash
      ? [{ logIndex: log, token: token as Hash, from: from as Hash, to: to as Hash, amount }]
      : [],
  );
  const signed = { sender: '0xaa', nonce: 1, to: undefined, input: '0x' } as const;
  const mined = {
    blockNumber: block.number,
    blockHash: block.hash as Hash,
    blockTimeMs: block.number * 1_000,
  };
  const facts = { ...signed, ...mined, chainId: 1, txHash, confirmations: 1, transfers } as const;
  return refundsAgain(plan, { ...facts, outcome: 'SUCCEEDED' });
}

/** The plan that a transfer to an address is shown to: the one that was open, or that ended last before. */
function holderOf(kept: readonly Kept[], address: string, number: number): Kept | undefined {
  const spans = kept
    .filter(({ plan }) => plan.options.depositAddress === address)
    .flatMap((one) => one.open.map(({ from, to }) => ({ one, from, to })));
  const open = spans.find(({ from, to }) => from <= number && (to === undefined || number <= to));
  const ended = spans.filter(({ to }) => to !== undefined && to < number);
  return (open ?? ended.toSorted((a, b) => (b.to ?? 0) - (a.to ?? 0))[0])?.one;
}

function recorded(
  { number, hash }: RefBlock,
  { tx, log, token, from, to, amount }: RefBlock['transfers'][number],
): RecordedTransfer {
  return {
    chainId: 1,
    txHash: tx as `0x${string}`,
    logIndex: log,
    blockNumber: number,
    blockHash: hash as `0x${string}`,
    amount: amountOf(amount),
    token: token as `0x${string}`,
    from: from as `0x${string}`,
    to: to as `0x${string}`,
    blockTimeMs: number * 1_000,
  };
}

function found(
  { plan: { corridor, amountIn }, attempts }: { readonly plan: Plan; readonly attempts: readonly string[] },
  readNumber: number,
  block: RefBlock,
  { tx, log, attempt, brought }: RefBlock['executions'][number],
  others: RefBlock['executions'],
): FoundExecution {
  const { number, hash } = block;
  const place = {
    chainId: 1,
    txHash: tx as `0x${string}`,
    blockNumber: number,
    blockHash: hash as `0x${string}`,
  };
  const amount = amountOf(brought);
  const isFinal = readNumber - number + 1 >= corridor.minConfirmations;
  const evidence: Evidence = {
    ...place,
    sender: '0xaa',
    nonce: 1,
    transfers: [{ ...place, logIndex: log, amount }],
    amount,
    status: isFinal ? 'FINAL' : 'CONFIRMING',
  };
  const further = others.map((other) => ({
    position: attempts.indexOf(other.attempt),
    amountIn,
    transfers: [{ ...place, logIndex: other.log, amount: amountOf(other.brought) }],
  }));
  const units = gasIn(tx, hash);
  const gas = { units: amountOf(units), costWei: amountOf(3n * units) };
  const told = { position: attempts.indexOf(attempt), evidence, amountIn, gas };
  return further.length === 0 ? told : { ...told, others: further };
}
