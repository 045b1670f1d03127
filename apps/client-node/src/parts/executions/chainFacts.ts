import { refuse } from '@fairway/api';
import { defined } from '@fairway/values';
import type { KeptExecution, KeptTransaction } from '../../platform/database/transactions.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';
import type { ExecutionReading, Receipt } from '@fairway/wire';
import { type ChainFacts, executionOf, receiptOf } from '../../platform/database/receipts.ts';

/** There is no relayer of an id. */
export const NO_RELAYER = refuse({
  code: 'not-found',
  detail: 'There is no such relayer; GET /relay/relayers lists them.',
});

/** The relayers of the node, by their id. */
export type Relayers = ReadonlyMap<string, Relayer>;

/** The receipt of an instruction, with what the chain says of its gas. */
export async function readReceipt(relayers: Relayers, kept: KeptTransaction): Promise<Receipt> {
  return receiptOf(kept, await factsOf(relayers.get(kept.relayerId), kept));
}

/** An execution, and the receipts of its instructions. */
export async function readExecution(relayers: Relayers, kept: KeptExecution): Promise<ExecutionReading> {
  const receipts = await Promise.all(kept.transactions.map((each) => readReceipt(relayers, each)));
  const execution = defined({ ...executionOf(kept), why: await whyOf(relayers, kept) });
  return { execution, receipts };
}

/** Why nothing was signed yet of what comes next; undefined where something was, or nothing will be. */
async function whyOf(
  relayers: Relayers,
  { transactions }: KeptExecution,
): Promise<ExecutionReading['execution']['why'] | undefined> {
  const next = transactions.find(({ outcome }) => outcome === undefined);
  if (next === undefined || next.attempts.length > 0 || next.isCancelAsked) return undefined;
  return relayers.get(next.relayerId)?.whyWaiting(next.relayTransactionId);
}

/** What a receipt is answered without while the nodes are away. */
async function factsOf(relayer: Relayer | undefined, { inclusion }: KeptTransaction): Promise<ChainFacts> {
  const headNumber = relayer?.headNumber();
  if (relayer === undefined || inclusion === undefined) return { headNumber };
  try {
    const params = [inclusion.hash];
    const found = (await relayer.request({ method: 'eth_getTransactionReceipt', params })) as {
      readonly gasUsed: string;
      readonly effectiveGasPrice: string;
    } | null;
    if (found === null) return { headNumber };
    return {
      headNumber,
      gasUsed: BigInt(found.gasUsed),
      effectiveGasPrice: BigInt(found.effectiveGasPrice),
    };
  } catch {
    return { headNumber };
  }
}
