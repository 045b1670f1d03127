import { serveMetrics } from '@fairway/api';
import type { FollowerEvent, FollowerStatus, NodesEvent } from '@fairway/evm';
import { ConfigError } from '../config/error.ts';
import { listenFault } from '../config/listenFault.ts';
import { createPlanMetrics, type PlanMetrics } from './planMetrics.ts';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** How far an audit log is: the lines of its chain, the last line's code as a number, and what was not written. */
export type AuditFigures = {
  readonly chain: string;
  readonly lines: number;
  readonly head: number;
  readonly waiting: number;
  readonly lost: number;
  readonly failures: number;
};

/** The tokens and pools of a chain that routes keep away from. */
export type AvoidedFigures = {
  readonly tokens: { readonly size: number };
  readonly pools: { readonly size: number };
};

/** How far the record of a chain is, in the process that keeps it. */
export type RecordFigures = { readonly readNumber: number; readonly lagBlocks: number };

/** The service's metrics, in Prometheus's format. */
export type Metrics = PlanMetrics & {
  /** Counts what happened on a chain. */
  onFollowerEvent(chainId: number, event: FollowerEvent): void;
  /** Counts what nodes of a chain said against each other, and how often one gave no answer. */
  onNodesEvent(chainId: number, event: NodesEvent): void;
  /** From now on, reads a chain's state at every scrape. */
  observeFollower(chainId: number, status: () => FollowerStatus): void;
  /** From now on, reads at every scrape how far a chain's record is; undefined where another process keeps it. */
  observeRecord(chainId: number, status: () => RecordFigures | undefined): void;
  /** Counts transfers that the first reading of their blocks did not show. */
  onAddedLate(chainId: number, count: number): void;
  /** Counts transfers to busy addresses that no plan has a use for. */
  onIgnored(chainId: number, count: number): void;
  /** Counts logs that the bloom of their block's header rules out. */
  onRuledOut(chainId: number, count: number): void;
  /** Counts transactions to settlement addresses that no node traces. */
  onUntraced(chainId: number): void;
  /** Counts swaps for which the chain could not be asked: for a simulation or the sender's holdings. */
  onSwapUnchecked(chainId: number): void;
  /** Counts swaps that were planned another time, around what failed. */
  onReroute(chainId: number): void;
  /** From now on, reads at every scrape how many tokens and pools of a chain routes keep away from. */
  observeAvoided(chainId: number, now: () => AvoidedFigures): void;
  /** From now on, reads at every scrape how far the audit log is. */
  observeAudit(status: () => AuditFigures): void;
  /** From now on, reads at every scrape how far this machine's clock is ahead of the database's. */
  observeClock(aheadMs: () => number): void;
  /** Counts swaps that were refused because the chain would pay other amounts than were quoted. */
  onMarketMismatch(chainId: number): void;
  /** Counts readings of a corridor's rate that failed, by their cause. */
  onRateFailure(corridor: string, failure: string): void;
  /** From now on, reads at every scrape how old a corridor's rate is; undefined while there is none. */
  observeRate(corridor: string, ageMs: () => number | undefined): void;
  /** Serves /metrics. Resolves to its URL. */
  listen(host: string, port: number): Promise<{ url: string; close(): Promise<void> }>;
};

/** Makes an empty set of metrics. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['chain'];
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const chainCounters = createChainCounters(counter, registers);
  const unchecked = counter(
    'fairway_swaps_unchecked_total',
    'Swaps planned while the chain could not be asked',
  );
  const mismatched = counter(
    'fairway_market_mismatches_total',
    'Swaps refused because the chain would pay other amounts than were quoted',
  );
  const statuses = new Map<number, () => FollowerStatus>();
  const gauge = (name: string, help: string, read: (status: FollowerStatus) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const [chain, status] of statuses) this.set({ chain }, read(status()));
      },
    });
  gauge('fairway_head_block', 'Block the market stands at', ({ head }) => Number(head?.number ?? 0n));
  gauge('fairway_lag_blocks', "Blocks behind the node's latest", ({ lagBlocks }) => Number(lagBlocks));
  gauge(
    'fairway_contact_age_seconds',
    'Time since a node last answered',
    ({ contactAgeMs }) => (contactAgeMs ?? 0) / 1000,
  );
  gauge('fairway_pools', 'Pools in the market', ({ poolCount }) => poolCount);
  gauge('fairway_market_fresh', '1 when quotes are served', ({ freshness }) => (freshness.fresh ? 1 : 0));
  collectDefaultMetrics({ register: registry });
  const addedLate = counter(
    'fairway_record_added_late_total',
    'Transfers that the first reading of their blocks did not show',
  );
  const ignored = counter(
    'fairway_record_ignored_total',
    'Transfers to busy addresses that no plan has a use for, and that are not recorded',
  );
  const ruledOut = counter(
    'fairway_record_ruled_out_total',
    "Logs that the bloom of their block's header rules out, and that are left out until the block is read again",
  );
  const untraced = counter(
    'fairway_record_untraced_total',
    'Transactions to settlement addresses that no node traces',
  );

  return {
    ...chainCounters,
    ...createRateMetrics(registers),
    ...createAvoidedMetrics(registers),
    ...createPlanMetrics(registers),
    observeRecord: createRecordGauges(registers),
    onAddedLate: (chain, count) => addedLate.inc({ chain }, count),
    onIgnored: (chain, count) => ignored.inc({ chain }, count),
    onRuledOut: (chain, count) => ruledOut.inc({ chain }, count),
    onUntraced: (chain) => untraced.inc({ chain }),
    observeFollower: (chainId, status) => statuses.set(chainId, status),
    observeAudit: (status) => addAuditGauges(registry, status),
    observeClock: (aheadMs) => addClockGauge(registry, aheadMs),
    onSwapUnchecked: (chain) => unchecked.inc({ chain }),
    onMarketMismatch: (chain) => mismatched.inc({ chain }),
    listen: (host, port) => serve(registry, host, port),
  };
}

function addClockGauge(registry: Registry, aheadMs: () => number): void {
  const gauge: Gauge = new Gauge({
    name: 'fairway_clock_difference_seconds',
    help: "How far this machine's clock is ahead of the database's; negative where it is behind",
    registers: [registry],
    collect: () => gauge.set(aheadMs() / 1000),
  });
}

/** What swaps failed over, and what routes keep away from for it. */
function createAvoidedMetrics(registers: Registry[]): Pick<Metrics, 'onReroute' | 'observeAvoided'> {
  const chains = new Map<number, () => AvoidedFigures>();
  const rerouted = new Counter({
    name: 'fairway_swaps_rerouted_total',
    help: 'Times a swap was planned again around tokens or pools over which it failed',
    labelNames: ['chain'],
    registers,
  });
  new Gauge({
    name: 'fairway_avoided',
    help: 'Tokens and pools that routes keep away from for now',
    labelNames: ['chain', 'kind'],
    registers,
    collect() {
      for (const [chain, now] of chains) {
        const { tokens, pools } = now();
        this.set({ chain, kind: 'token' }, tokens.size);
        this.set({ chain, kind: 'pool' }, pools.size);
      }
    },
  });
  return {
    onReroute: (chain) => rerouted.inc({ chain }),
    observeAvoided: (chainId, now) => chains.set(chainId, now),
  };
}

/** What is known of the rates of corridors. */
function createRateMetrics(registers: Registry[]): Pick<Metrics, 'onRateFailure' | 'observeRate'> {
  const ages = new Map<string, () => number | undefined>();
  const failures = new Counter({
    name: 'fairway_rate_failures_total',
    help: 'Times the rate of a corridor could not be read, by cause',
    labelNames: ['corridor', 'failure'],
    registers,
  });
  new Gauge({
    name: 'fairway_rate_age_seconds',
    help: 'How old the rate of a corridor is; absent until there is one',
    labelNames: ['corridor'],
    registers,
    collect() {
      for (const [corridor, ageMs] of ages) {
        const age = ageMs();
        if (age !== undefined) this.set({ corridor }, age / 1000);
      }
    },
  });
  return {
    onRateFailure: (corridor, failure) => failures.inc({ corridor, failure }),
    observeRate: (corridor, ageMs) => ages.set(corridor, ageMs),
  };
}

/** Gauges of the records that this process keeps. */
function createRecordGauges(registers: Registry[]): Metrics['observeRecord'] {
  const records = new Map<number, () => RecordFigures | undefined>();
  const gauge = (name: string, help: string, read: (figures: RecordFigures) => number) =>
    new Gauge({
      name: `fairway_record_${name}`,
      help,
      labelNames: ['chain'],
      registers,
      collect() {
        for (const [chain, status] of records) {
          const figures = status();
          if (figures === undefined) this.remove({ chain });
          else this.set({ chain }, read(figures));
        }
      },
    });
  gauge(
    'read_block',
    'Last block of the record, in the process that keeps it',
    ({ readNumber }) => readNumber,
  );
  gauge('lag_blocks', "Blocks that the record is behind the nodes' latest", ({ lagBlocks }) => lagBlocks);
  return (chainId, status) => records.set(chainId, status);
}

/** Counts what happens on chains. */
function createChainCounters(
  counter: (name: string, help: string) => Counter<string>,
  registers: Registry[],
): Pick<Metrics, 'onFollowerEvent' | 'onNodesEvent'> {
  const reorgs = counter('fairway_reorgs_total', 'Times the followed chain took blocks back');
  const audited = counter('fairway_audited_pools_total', 'Pools read back and compared with the market');
  const mismatches = counter(
    'fairway_audit_mismatches_total',
    'Pools that differed from the chain and were read again',
  );
  const failures = counter(
    'fairway_chain_failures_total',
    'Times the chain could not be followed for a moment',
  );
  const behind = counter(
    'fairway_nodes_behind_total',
    "Times the nodes named a latest block below the market's own",
  );
  const rulesChanged = counter(
    'fairway_header_rules_changed_total',
    'Times the hash of a block stopped to be computed by the known rules',
  );
  const disagreements = counter(
    'fairway_nodes_disagree_total',
    'Times too few nodes said the same, so that nothing was used',
  );
  const nodeCounter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['chain', 'node'], registers });
  const outvoted = nodeCounter(
    'fairway_nodes_outvoted_total',
    'Times a node said something else than the nodes that agreed',
  );
  const nodeFailures = nodeCounter('fairway_node_failures_total', 'Times a node of several gave no answer');
  return {
    onFollowerEvent(chain, event) {
      if (event.type === 'HEAD' && event.reorgDepth > 0) reorgs.inc({ chain });
      if (event.type === 'AUDITED') audited.inc({ chain }, event.poolCount);
      if (event.type === 'AUDIT_MISMATCH') mismatches.inc({ chain });
      if (event.type === 'FAILED') failures.inc({ chain });
      if (event.type === 'NODE_BEHIND') behind.inc({ chain });
      if (event.type === 'HEADER_RULES_CHANGED') rulesChanged.inc({ chain });
    },
    onNodesEvent(chain, event) {
      if (event.type === 'NODES_DISAGREE') disagreements.inc({ chain });
      else if (event.type === 'NODE_FAILED') nodeFailures.inc({ chain, node: event.node });
      else outvoted.inc({ chain, node: event.said.node });
    },
  };
}

/**
 * Adds the gauges of the audit log. The first one sets all of them from one read, because it is the first to be asked
 * at a scrape. Lines and head then belong to the same line of the log.
 */
function addAuditGauges(registry: Registry, status: () => AuditFigures): void {
  const registers = [registry];
  const lines = new Gauge({
    name: 'fairway_audit_lines',
    help: 'Lines of this process in the audit log',
    labelNames: ['chain'],
    registers,
    collect() {
      const now = status();
      lines.set({ chain: now.chain }, now.lines);
      head.set({ chain: now.chain }, now.head);
      waiting.set(now.waiting);
      lost.set(now.lost);
      failures.set(now.failures);
    },
  });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `fairway_audit_${name}`, help, labelNames, registers });
  const head = gauge('head', 'First 48 bits of the code of the last line of the audit log', ['chain']);
  const waiting = gauge('waiting', 'Facts that wait to be written to the audit log');
  const lost = gauge('lost', 'Facts that found no place to wait while the audit log could not be written');
  const failures = gauge('failures', 'Writes to the audit log that failed');
}

async function serve(
  registry: Registry,
  host: string,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  try {
    return await serveMetrics(registry, host, port);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const several =
      code === 'EADDRINUSE'
        ? ' Each process on a machine needs one of its own: a configuration file for each, or 0, and the start tells the port.'
        : '';
    throw new ConfigError([`metrics.port ${port}: ${listenFault(code, message)}${several}`]);
  }
}
