import { keptReading, serveMetrics } from '@fairway/api';
import type { RelayerView } from '@fairway/wire';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The node's metrics, in Prometheus's format. */
export type Metrics = {
  /** Counts calls that the policy refused, when they were asked for or later. */
  onRefused(relayerId: string, code: string): void;
  /** Notes how long it took from the acceptance of an execution until its first transaction left. */
  onBroadcast(relayerId: string, seconds: number): void;
  /** From now on, reads the relayers with a scrape, but not more often than every 10 s. */
  observeRelayers(read: () => Promise<readonly RelayerView[]>): void;
  /** Serves /metrics. Resolves to its URL. */
  listen(host: string, port: number): Promise<{ readonly url: string; close(): Promise<void> }>;
};

const BROADCAST_BUCKETS_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const LABELS = ['relayer', 'chain'] as const;

/** Makes an empty set of metrics. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const refused = new Counter({
    name: 'fairway_node_refusals_total',
    help: 'Executions that the policy refused, by the code of the refusal',
    labelNames: ['relayer', 'code'],
    registers,
  });
  const broadcast = new Histogram({
    name: 'fairway_node_broadcast_seconds',
    help: 'Time from the acceptance of an execution until its first transaction left',
    labelNames: ['relayer'],
    buckets: BROADCAST_BUCKETS_SECONDS,
    registers,
  });
  return {
    onRefused: (relayer, code) => refused.inc({ relayer, code }),
    onBroadcast: (relayer, seconds) => broadcast.observe({ relayer }, seconds),
    observeRelayers: (read) =>
      addRelayers(
        registers,
        // While the database is away nothing is known.
        keptReading(() => read().catch(() => [])),
      ),
    listen: (host, port) => serveMetrics(registry, host, port),
  };
}

/** A figure that is not known is not told: an old one would look like a fresh one. */
function addRelayers(registers: Registry[], read: () => Promise<readonly RelayerView[]>): void {
  const gauge = (name: string, help: string, figureOf: (view: RelayerView) => number | undefined) =>
    new Gauge({
      name: `fairway_node_${name}`,
      help,
      labelNames: LABELS,
      registers,
      async collect() {
        const views = await read();
        this.reset();
        for (const view of views) {
          const figure = figureOf(view);
          const { relayerId: relayer, chainId: chain } = view;
          if (figure !== undefined) this.set({ relayer, chain }, figure);
        }
      },
    });
  gauge('relayer_working', '1 while the latest look at the chain went well', ({ state }) =>
    state === 'WORKING' ? 1 : 0,
  );
  gauge('relayer_disabled', '1 while nothing is bound until an operator has reconciled it', (view) =>
    view.nextNonce === undefined ? undefined : Number(view.disabledReason !== undefined),
  );
  gauge('relayer_paused', '1 while an operator has it bind nothing', ({ paused }) =>
    paused === undefined ? undefined : Number(paused),
  );
  gauge('pending_transactions', 'Bound instructions that have not ended', ({ pending }) => pending);
  gauge('waiting_transactions', 'Instructions without a nonce that have not ended', ({ waiting }) => waiting);
  gauge('oldest_pending_seconds', 'How long the oldest of both waits; 0 where none does', (view) =>
    view.pending === undefined ? undefined : (view.oldestPendingSec ?? 0),
  );
  gauge('balance_wei', 'Native currency that it has for gas and value', ({ balance }) =>
    balance === undefined ? undefined : Number(balance),
  );
  gauge(
    'nonce_gap',
    'Nonces that are bound and that the chain does not have',
    ({ nextNonce, nonceLatest }) =>
      nextNonce === undefined || nonceLatest === undefined ? undefined : nextNonce - nonceLatest,
  );
}
