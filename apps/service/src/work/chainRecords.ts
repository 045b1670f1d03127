import { randomUUID } from 'node:crypto';
import { toAddress } from '@fairway/engine';
import type { Corridor } from '@fairway/plan';
import type { Environment, RecordStore } from '@fairway/store';
import type { Logger } from 'pino';
import type { ChainService } from '../platform/chains/chainService.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { type ChainRecord, startChainRecord } from '../platform/record/chain.ts';
import type { RecordedChain } from '../platform/record/reading.ts';

/** What the records of the chains are kept with. */
export type RecordGround = {
  readonly environment: Environment;
  readonly records: RecordStore;
  readonly corridors: readonly Corridor[];
  readonly metrics: Metrics;
};

/** Starts to keep the record of each chain, in turns with the other processes of this database. */
export function startChainRecords(
  chains: readonly ChainService[],
  { environment, records, corridors, metrics }: RecordGround,
  log: Logger,
): readonly ChainRecord[] {
  const holder = randomUUID();
  return chains.map((chain) => {
    const { chainId } = chain;
    const chainLog = log.child({ chainId });
    const record = startChainRecord({
      chain: recordedChain(chain, corridors),
      store: records,
      key: { environment, chainId },
      holder,
      events: {
        onAddedLate: (count) => metrics.onAddedLate(chainId, count),
        onIgnored: (count) => metrics.onIgnored(chainId, count),
        onRuledOut(blockNumber, count) {
          metrics.onRuledOut(chainId, count);
          chainLog.warn(
            { blockNumber, count },
            "The nodes sent logs that the bloom of the block's header rules out; they are left out until the block is read again",
          );
        },
        onUntraced(txHash, err) {
          metrics.onUntraced(chainId);
          chainLog.warn({ txHash, err }, 'A transaction to a settlement address cannot be traced');
        },
      },
      warn: (error) => chainLog.warn({ err: error }, 'The record of a chain cannot be kept for now'),
    });
    metrics.observeRecord(chainId, record.status);
    return record;
  });
}

function recordedChain(chain: ChainService, corridors: readonly Corridor[]): RecordedChain {
  const { chainId, request, router, newestHead } = chain;
  const tokens = corridors.flatMap(({ source, target }) => [source, target]);
  const settled = corridors.filter(({ target }) => target.chainId === chainId);
  return {
    chainId,
    request,
    newestHead,
    routers: [router],
    configured: {
      tokens: tokens.filter((each) => each.chainId === chainId).map(({ token }) => toAddress(token)),
      settlementAddresses: settled.map(({ target }) => toAddress(target.settlementAddress)),
      payoutAddresses: settled.flatMap(({ target }) => (target.payoutAddresses ?? []).map(toAddress)),
    },
  };
}
