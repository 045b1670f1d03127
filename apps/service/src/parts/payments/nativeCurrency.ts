import { toAddress } from '@fairway/engine';
import { blockAt, hasSent, type Head, latestHead, readBalance } from '@fairway/evm';
import { amountOf, depositStep, isOver, NATIVE_CURRENCY, type Plan, swapStep } from '@fairway/plan';
import type { ChainMoment, PlanScope } from '@fairway/store';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { reached, readOrAway } from './chainFacts.ts';
import { laterBlock, SERVICE_ACTOR } from './comparePlan.ts';
import type { PaymentParts, WorkDone } from './paymentParts.ts';
import { planWords } from './planWords.ts';

/** The gas of a plain transfer of native currency, as the protocol says. */
const TRANSFER_GAS = 21_000n;

/**
 * How often a look is tried again when the nodes do not answer. The waits grow, to about a thousand blocks together.
 */
const MOST_TRIES = 10;

/**
 * Looks for native currency at the deposit address of a plan that is over, and records what is there. It reads the first
 * final block after the plan's last change. This block shows what was paid by mistake until then, and no reorganisation takes
 * it back. Nothing is recorded for an account that has sent transactions, because it has native currency for its fees.
 * Nothing is recorded either if another plan had the address, because a balance does not tell whose it is.
 */
export async function lookForNative(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  { moment, tries }: { readonly moment: ChainMoment; readonly tries: number },
): Promise<WorkDone> {
  const { depositAddress } = plan.options;
  const chain = parts.chains.get(plan.corridor.source.chainId);
  if (!isOver(plan) || depositAddress === undefined || chain === undefined) return { plan };
  if (moment.state !== 'AT_HEAD' || moment.readNumber === undefined) return { plan, dueBlock: 0 };
  const age = plan.corridor.minConfirmations - 1;
  const finalNumber = moment.readNumber - age;
  const read = await readOrAway(() => nativeAt(chain, depositAddress, finalNumber));
  // Nodes keep the state of about the last hundred blocks: the state of older blocks does not come back.
  if (!read.ok) return tries < MOST_TRIES ? { plan, dueBlock: laterBlock(moment, tries) } : { plan };
  const { block, held } = read.value;
  // This account may pay for the swap, and the swap may be reported before the record has read its block.
  const isBeforeSwap = finalNumber < (swapStep(plan).evidence?.blockNumber ?? 0);
  // Blocks say their time in whole seconds.
  if (block === undefined || isBeforeSwap || 1000 * Number(block.timestampSeconds) + 999 < plan.updatedAtMs)
    return { plan, dueBlock: moment.readNumber + Math.max(age, 1) };
  // An amount that costs more to send back than it is worth is ignored: anybody may have left it at the address.
  if (held <= TRANSFER_GAS * block.baseFeePerGas) return { plan };
  const shared = await parts.store.record.isAddressShared(scope, plan);
  if (shared.isShared) return { plan };
  const command = { type: 'NATIVE_SEEN', stepId: depositStep(plan).stepId, held: amountOf(held) } as const;
  const context = { actor: SERVICE_ACTOR, atMs: parts.nowMs() };
  const changed = await parts.store.payments.changePlan(scope, plan.planId, command, context);
  if (changed.ok || changed.reason === 'REFUSED') return { plan: changed.plan };
  throw new Error(`Native currency at a deposit address cannot be recorded: ${changed.reason}`);
}

/** A sentence about native currency at the deposit address, which somebody may have sent in place of the token. */
export async function nativeThere({ chains }: PaymentParts, { options, corridor }: Plan): Promise<string> {
  const { chainId } = corridor.source;
  const chain = chains.get(chainId);
  if (chain === undefined || options.depositAddress === undefined) return '';
  const owner = toAddress(options.depositAddress);
  const held = await reached(async () =>
    readBalance(chain.request, (await latestHead(chain.request)).hash, { owner }),
  );
  if (held === undefined || held === 0n) return '';
  const native = { chainId, address: NATIVE_CURRENCY };
  return ` It also holds ${planWords(chains).amount(amountOf(held), native)}, which is no deposit of this plan.`;
}

/** The native currency of an account in a block if the account has sent nothing; 0 for any other account. */
async function nativeAt(
  { request }: ChainService,
  account: string,
  blockNumber: number,
): Promise<{ readonly block: Head | undefined; readonly held: bigint }> {
  const block = blockNumber < 0 ? undefined : await blockAt(request, BigInt(blockNumber));
  if (block === undefined) return { block, held: 0n };
  const owner = toAddress(account);
  if (await hasSent(request, block.hash, owner)) return { block, held: 0n };
  return { block, held: await readBalance(request, block.hash, { owner }) };
}
