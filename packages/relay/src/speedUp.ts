import { signAttempt } from './advance.ts';
import { dearest, feesOf } from './fees.ts';
import { type Instruction, isBound } from './instruction.ts';
import type { GasRules, Look } from './look.ts';
import { isWanted } from './nextActs.ts';
import type { Order, RelayPorts } from './ports.ts';

/**
 * Why nothing is signed. ENDED: it is final. MINED: the chain has its nonce. NOT_SENT: nothing of it was sent that could
 * be replaced, or its newest attempt still waits to leave. NOT_NEXT: an earlier nonce has to be mined first. CAP: no room
 * is left below the cap.
 */
export type NoSpeedUp = 'ENDED' | 'MINED' | 'NOT_SENT' | 'NOT_NEXT' | 'CAP';

/** What a replacement is signed with. */
type SpeedUpPorts = Pick<RelayPorts, 'store' | 'chain' | 'sign'>;

/**
 * Signs a replacement of an instruction's newest attempt now, without waiting until that is stuck. Its fees are those of any other
 * replacement. The next round sends it.
 *
 * @throws what the ports throw when the database, the nodes or the signer are away. Nothing is signed then.
 *
 * @example
 * ```ts
 * import { type GasRules, type RelayPorts, speedUp } from '@fairway/relay';
 *
 * declare const ports: RelayPorts;
 * const rules: GasRules = { maxFeePerGasCapWei: 10n ** 11n, bumpAfterBlocks: 3, mostPending: 16 };
 * await speedUp({ relayerId: 'relayer-1', relayTransactionId: 'exe_1_0' }, ports, rules);
 * ```
 */
export async function speedUp(
  { relayerId, relayTransactionId }: { readonly relayerId: string; readonly relayTransactionId: string },
  ports: SpeedUpPorts,
  rules: GasRules,
): Promise<'SIGNED' | NoSpeedUp> {
  const { relayer, open } = await ports.store.read(relayerId);
  const about = open.find((each) => each.relayTransactionId === relayTransactionId);
  if (about === undefined) return 'ENDED';
  const look = await ports.chain.look(relayer, open.filter(isBound));
  const order = replacementOf(about, look, rules);
  if (typeof order === 'string') return order;
  await ports.store.keepAttempts([await signAttempt(order, ports, look)]);
  return 'SIGNED';
}

function replacementOf(about: Instruction, look: Look, rules: GasRules): Order | NoSpeedUp {
  const newest = about.attempts.at(-1);
  if (newest?.wasSent !== true || !isBound(about)) return 'NOT_SENT';
  if (about.nonce < look.nonceLatest) return 'MINED';
  if (about.nonce > look.nonceLatest) return 'NOT_NEXT';
  const purpose = isWanted(about, look) ? newest.purpose : 'CANCEL';
  const fees = feesOf(purpose, look.marketFees, rules, dearest(about.attempts));
  return fees === undefined ? 'CAP' : { about, purpose, fees };
}
