import type { Refusal } from '@fairway/relay';
import type { ExecutionWait, RelayerState } from '@fairway/wire';
import type { Database } from '../database/schema.ts';

/** What keeps instructions from being signed, as this process has seen it. */
export type Waits = {
  /** Notes why an instruction has to wait; undefined: nothing is against it. */
  note(relayTransactionId: string, why: Refusal | undefined): void;
  noted(relayTransactionId: string): Refusal | undefined;
};

/** Those that ended while they waited are forgotten with all others. */
const MOST_NOTED = 1_000;

/** Makes an empty memory. */
export function createWaits(): Waits {
  const noted = new Map<string, Refusal>();
  return {
    note(relayTransactionId, why) {
      if (noted.size >= MOST_NOTED) noted.clear();
      if (why === undefined) noted.delete(relayTransactionId);
      else noted.set(relayTransactionId, why);
    },
    noted: (relayTransactionId) => noted.get(relayTransactionId),
  };
}

/** What is asked why an instruction waits. */
export type WaitingOptions = {
  readonly database: Database;
  readonly relayerId: string;
  readonly chainId: number;
  state(): RelayerState;
  readonly waits: Pick<Waits, 'noted'>;
};

/** Says why an instruction is not signed yet, and what ends that. */
export async function whyWaiting(
  { database, relayerId, chainId, state, waits }: WaitingOptions,
  relayTransactionId: string,
): Promise<ExecutionWait> {
  const kept = await database
    .selectFrom('relayers')
    .where('relayer_id', '=', relayerId)
    .select(['is_paused', 'disabled'])
    .executeTakeFirst();
  if (kept?.disabled)
    return {
      code: 'RELAYER_DISABLED',
      detail: `Relayer ${relayerId} is disabled (${kept.disabled}). An operator has to see why, and then POST /relay/relayers/${relayerId}/reconcile.`,
    };
  if (kept?.is_paused === true)
    return {
      code: 'RELAYER_PAUSED',
      detail: `An operator has paused relayer ${relayerId}. POST /relay/relayers/${relayerId}/resume lets it go on.`,
    };
  switch (state()) {
    case 'STARTING':
    case 'NODES_AWAY':
      return {
        code: 'NODES_AWAY',
        detail: `The nodes of chain ${chainId} do not answer alike. It goes on when they do.`,
      };
    case 'SIGNER_AWAY':
      return {
        code: 'SIGNER_AWAY',
        detail: `What holds the key of relayer ${relayerId} does not sign. It goes on when it does.`,
      };
    case 'FAILING':
      return { code: 'RELAYER_FAILING', detail: `Relayer ${relayerId} cannot go on. The log says why.` };
    case 'WORKING':
      break;
  }
  const { code = 'QUEUED', detail } = waits.noted(relayTransactionId) ?? {};
  return { code, detail: detail ?? 'It is signed when its turn comes.' };
}
