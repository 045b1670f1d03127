import type { ChainPolicy } from '@fairway/policies';
import type { BoundInstruction, GasRules, Look } from '@fairway/relay';
import { noteTroubles, readTroubles } from '../database/relayers.ts';
import type { Database } from '../database/schema.ts';

/** What a relayer is watched with. */
export type WatchOptions = {
  readonly database: Database;
  readonly relayerId: string;
  readonly chainPolicy: Pick<ChainPolicy, 'keepWei' | 'mostGas'>;
  readonly gas: () => Promise<Pick<GasRules, 'maxFeePerGasCapWei'>>;
  /** The newest look at the chain, and what was bound then, by nonce; undefined before the first. */
  newest(): Looked | undefined;
};

/** A look, and what was looked for. */
export type Looked = { readonly look: Look; readonly bound: readonly BoundInstruction[] };

/** In so many blocks more was offered for gas several times. */
const STUCK_BLOCKS = 20;

/**
 * Makes what looks at each new block whether the relayer has enough for one more execution, and whether its next nonce
 * waits for too long. It stays stuck until that nonce is used, also after a restart.
 */
export function createWatch(options: WatchOptions): () => Promise<void> {
  const { database, relayerId, chainPolicy, gas, newest } = options;
  let watched: number | undefined;
  let waiting: { readonly nonce: number; readonly since: number } | undefined;
  return async () => {
    const looked = newest();
    if (looked === undefined || looked.look.head.number === watched) return;
    const { look, bound } = looked;
    const [before, { maxFeePerGasCapWei }] = await Promise.all([readTroubles(database, relayerId), gas()]);
    const neededWei = chainPolicy.keepWei + chainPolicy.mostGas * maxFeePerGasCapWei;
    const nonce = bound.find((each) => each.nonce >= look.nonceLatest)?.nonce;
    if (nonce === undefined) waiting = undefined;
    else if (waiting?.nonce !== nonce) waiting = { nonce, since: look.head.number };
    const isStuck = waiting !== undefined && look.head.number - waiting.since >= STUCK_BLOCKS;
    const after = {
      lowBalance: look.balanceWei < neededWei,
      stuckNonce: isStuck || before.stuckNonce === nonce ? nonce : undefined,
    };
    if (after.lowBalance !== before.lowBalance || after.stuckNonce !== before.stuckNonce)
      await noteTroubles(database, relayerId, after);
    watched = look.head.number;
  };
}
