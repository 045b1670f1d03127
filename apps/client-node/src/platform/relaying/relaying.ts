import { advance, type GasRules, type Hex, type RelayPorts, type Sent } from '@fairway/relay';
import type { Database } from '../database/schema.ts';
import type { Journal } from '../journal/journal.ts';
import { recover } from './recover.ts';
import { type Rounds, startRounds } from './rounds.ts';

/** What a relayer works with. */
export type RelayingOptions = {
  readonly database: Database;
  /** What has to be done once before the first look. Absent: it is done. */
  readonly prepare?: () => Promise<void>;
  readonly relayerId: string;
  readonly chainId: number;
  readonly address: Hex;
  readonly ports: Omit<RelayPorts, 'journal' | 'onSendFailed'>;
  readonly journal: Journal;
  /** Read anew for each round. */
  readonly rules: () => Promise<GasRules>;
  /** How long to wait for the next look where nobody wakes it. */
  readonly pauseMs: number;
  readonly onSendFailed: RelayPorts['onSendFailed'];
  /** Done after each round that went well. */
  readonly afterRound: () => Promise<void>;
  /** The nodes, the database or the signer are away: the round is tried again. */
  readonly onFailed: (error: unknown) => void;
};

/** On a chain without new blocks, what waits is given to the nodes again after so long. */
const SEND_AGAIN_MS = 5_000;

/**
 * Looks at a relayer at every wake and after every pause, and does what there is to do. Before the first time, what the
 * database has of it is compared with the journal.
 */
export function startRelaying(options: RelayingOptions): Rounds {
  const { database, relayerId, chainId, address, rules, journal, pauseMs, onFailed } = options;
  const recovery = rememberRecovery(options);
  const memory = rememberSent(options);
  const ports: RelayPorts = { ...memory.ports, store: recovery.store };
  const sentOf = (): Sent => ({ upTo: journal.sentUpTo(chainId, address), lately: memory.lately() });
  let { prepare } = options;
  const rounds = startRounds({
    ...{ pauseMs, onFailed },
    async round() {
      await prepare?.();
      prepare = undefined;
      if (recovery.isDue()) {
        await recover(database, journal, relayerId);
        recovery.done();
      }
      await advance(relayerId, ports, await rules(), sentOf);
      if (recovery.isDue()) rounds.wake();
      await options.afterRound();
    },
  });
  return rounds;
}

/** Remembers whether the database is still to be compared with the journal, and tells the journal what the database has. */
function rememberRecovery({ ports: { store }, journal, chainId, address }: RelayingOptions) {
  let isDue = true;
  let isTakenOver = false;
  return {
    isDue: () => isDue,
    done(): void {
      isDue = false;
      isTakenOver = true;
    },
    store: {
      ...store,
      async read(relayerId) {
        const kept = await store.read(relayerId);
        const { disabled, nextNonce } = kept.relayer;
        if (disabled === undefined) {
          isTakenOver = false;
          // Where the journal was missing, an operator has enabled the relayer since this process started.
          await journal.know(chainId, address, nextNonce);
        } else if (disabled === 'DATABASE_OLDER') isDue = !isTakenOver;
        return kept;
      },
    } satisfies RelayPorts['store'],
  };
}

/** Remembers what was sent since the newest block came. */
function rememberSent({ ports, journal, onSendFailed }: RelayingOptions) {
  const sentAtMs = new Map<Hex, number>();
  let headHash: Hex | undefined;
  const chain: RelayPorts['chain'] = {
    ...ports.chain,
    async look(relayer, bound) {
      const seen = await ports.chain.look(relayer, bound);
      if (seen.head.hash !== headHash) sentAtMs.clear();
      headHash = seen.head.hash;
      return seen;
    },
    send(attempt) {
      sentAtMs.set(attempt.hash, performance.now());
      return ports.chain.send(attempt);
    },
  };
  return {
    ports: { ...ports, chain, journal: journal.write, onSendFailed },
    lately(): ReadonlySet<Hex> {
      const sinceMs = performance.now() - SEND_AGAIN_MS;
      return new Set([...sentAtMs].filter(([, atMs]) => atMs > sinceMs).map(([hash]) => hash));
    },
  };
}
