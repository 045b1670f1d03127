import { type Instruction, isBound, type Relayer } from './instruction.ts';
import type { Look, Sent } from './look.ts';

/**
 * The nonces that unknown transactions may have, after an older database was put back or a key was used elsewhere. Each is bound to a cancellation. When all of them are final, nothing unknown can be executed any
 * more, however long it waited: then the relayer can go on behind them.
 *
 * @example
 * ```ts
 * import { type Instruction, type Look, type Relayer, unknownNonces } from '@fairway/relay';
 *
 * declare const relayer: Relayer;
 * declare const open: readonly Instruction[];
 * declare const look: Look;
 * const nonces = unknownNonces(relayer, open, look, { upTo: 17, lately: new Set() }); // such as [16, 17]
 * ```
 */
export function unknownNonces(
  relayer: Relayer,
  open: readonly Instruction[],
  look: Look,
  { upTo }: Sent,
): number[] {
  const known = new Set(open.filter(isBound).map(({ nonce }) => nonce));
  const first = Math.max(relayer.nextNonce, look.nonceFinal);
  const end = Math.max(upTo + 1, look.nonceLatest, first);
  return Array.from({ length: end - first }, (_, index) => first + index).filter((each) => !known.has(each));
}
