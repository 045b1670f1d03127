import type { ChainRpc } from '@fairway/evm';
import type { ChainPolicy } from '@fairway/policies';
import { type GasRules, isBound, type Hex, type Look } from '@fairway/relay';
import { createRelayStore } from '../database/relayStore.ts';
import { noteTroubles, readTroubles } from '../database/relayers.ts';
import type { Database } from '../database/schema.ts';
import { readSender } from './callFacts.ts';

/** What a relayer is watched with. */
export type WatchOptions = {
  readonly database: Database;
  readonly relayerId: string;
  readonly address: Hex;
  readonly request: ChainRpc['request'];
  readonly chainPolicy: Pick<ChainPolicy, 'keepWei' | 'mostGas'>;
  readonly gas: () => Promise<Pick<GasRules, 'maxFeePerGasCapWei'>>;
  /** The newest look at the chain; undefined before the first. */
  newest(): Look | undefined;
};

/** In so many blocks more was offered for gas several times. */
const STUCK_BLOCKS = 20;

/**
 * Makes what looks at each new block whether the relayer has enough for one more execution, and whether its next nonce
 * waits for too long. It stays stuck until that nonce is used, also after a restart.
 */
export function createWatch(options: WatchOptions): () => Promise<void> {
  const { database, relayerId, address, request, chainPolicy, gas, newest } = options;
  let watched: number | undefined;
  let waiting: { readonly nonce: number; readonly since: number } | undefined;
  return async () => {
    const look = newest();
    if (look === undefined || look.head.number === watched) return;
    const [{ open }, before, { balanceWei }, { maxFeePerGasCapWei }] = await Promise.all([
      createRelayStore(database).read(relayerId),
      readTroubles(database, relayerId),
      readSender(request, address),
      gas(),
    ]);
    const neededWei = chainPolicy.keepWei + chainPolicy.mostGas * maxFeePerGasCapWei;
    const nonce = open.find((each) => isBound(each) && each.nonce >= look.nonceLatest)?.nonce;
    if (nonce === undefined) waiting = undefined;
    else if (waiting?.nonce !== nonce) waiting = { nonce, since: look.head.number };
    const isStuck = waiting !== undefined && look.head.number - waiting.since >= STUCK_BLOCKS;
    const after = {
      lowBalance: balanceWei < neededWei,
      stuckNonce: isStuck || before.stuckNonce === nonce ? nonce : undefined,
    };
    if (after.lowBalance !== before.lowBalance || after.stuckNonce !== before.stuckNonce)
      await noteTroubles(database, relayerId, after);
    watched = look.head.number;
  };
}
