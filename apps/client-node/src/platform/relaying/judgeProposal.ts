import type { ChainRpc, NodeRpc } from '@fairway/evm';
import {
  type Asked,
  type BalanceChange,
  judge,
  type Known,
  limitsOf,
  type Policy as PolicyDocument,
  type Proposal,
  type Refusal,
  spendingOf,
} from '@fairway/policies';
import type { GasRules, Hex } from '@fairway/relay';
import { type CheckedCall, type GivenCall, NATIVE } from '@fairway/sdk/checks';
import { placeOf, relayTransactionIdOf } from '../database/executions.ts';
import type { Tokens } from '../chains/tokens.ts';
import { findProposal, type Grounds, isTokenInUse } from '../database/grounds.ts';
import type { Database } from '../database/schema.ts';
import { readUsage, type Taking } from '../database/spendings.ts';
import { gasLimitOf, type JudgedBlock, readSender, secondsAt, type Sender } from './callFacts.ts';
import type { Gas } from './gas.ts';
import { type Policy, WAITED_FOR } from './judge.ts';
import { simulate } from './simulate.ts';

/** Allowed calls with what they take from limits, or all that refuses them. */
export type Judged =
  | { readonly allowed: true; readonly calls: readonly CheckedCall[]; readonly takes: Taking }
  | { readonly allowed: false; readonly refusals: readonly Refusal[] };

/** Where a proposal is: calls before `index` have been executed. */
type Place = { readonly executionId: string; readonly index: number };

/** Judges all calls of an execution by the policy, with what the own nodes and the database say. */
export type ProposalJudge = (
  proposal: Proposal & Grounds,
  place: Place,
  /** By what it is judged; absent: by the newest block and the rules of now. */
  by?: { readonly sender: Sender; readonly rules: Pick<GasRules, 'maxFeePerGasCapWei'> },
) => Promise<Judged>;

/** What proposals are judged with. */
export type ProposalJudgeOptions = {
  readonly policy: PolicyDocument;
  readonly database: Database;
  readonly request: ChainRpc['request'];
  readonly nodes: readonly NodeRpc[];
  /** What a unit of gas may cost at most. */
  readonly gas: Gas;
  readonly tokens: Tokens;
};

/** Makes the judge of one chain's proposals. */
export function createProposalJudge(options: ProposalJudgeOptions): ProposalJudge {
  const { policy, database, request, gas, tokens } = options;
  return async (proposal, { executionId, index }, by) => {
    const { asked, calls, said } = proposal;
    const { sender, tokenIn } = asked;
    const limits = limitsOf(policy, asked);
    const spending = spendingOf(asked, 0n);
    const last = relayTransactionIdOf(executionId, Math.max(0, calls.length - 1));
    const [{ head, balanceWei }, usage, { maxFeePerGasCapWei }, facts] = await Promise.all([
      by?.sender ?? readSender(request, sender as Hex),
      readUsage(database, last, { limits, spending }),
      by?.rules ?? gas(),
      tokens([tokenIn, asked.tokenOut]),
    ]);
    const known = {
      ...{ ...said, nowSeconds: secondsAt(head), balanceWei, usage, tokens: facts },
      maxFeePerGasWei: maxFeePerGasCapWei,
    };
    // Calls that do something else than was asked for are not even simulated.
    const alone = judge(policy, proposal, { ...known, gas: 0n });
    if (!alone.allowed && alone.refusals.some(({ code }) => code.startsWith('ANSWER_'))) return alone;
    // Nodes run nothing that its sender cannot pay, and each says so in words of its own.
    const isShort = valueOf(calls) > balanceWei;
    const short = alone.allowed ? undefined : alone.refusals.find(({ code }) => code === 'BALANCE_NOT_KEPT');
    if (isShort && short !== undefined) return { allowed: false, refusals: [short] };
    const judgement = judge(policy, proposal, {
      ...known,
      ...(await simulated(options, head, asked, calls.slice(index))),
    });
    if (!judgement.allowed) return judgement;
    return { allowed: true, calls: judgement.checked.calls, takes: { limits, spending: judgement.spending } };
  };
}

/**
 * Judges calls that are new. The service may have left the approval out, because the router had an allowance when it was
 * asked. Where that belongs to another swap, or is used by now, the node approves by itself, for exactly the input.
 */
export async function judgeNew(
  {
    judge: judgeProposal,
    database,
    relayerId,
  }: {
    readonly judge: ProposalJudge;
    readonly database: Database;
    readonly relayerId: string;
  },
  proposal: Proposal & Grounds,
  executionId: string,
): Promise<Judged> {
  const { asked, calls } = proposal;
  const place = { executionId, index: 0 };
  const judged = await judgeProposal(proposal, place);
  const isSwapOfToken = asked.tokenIn !== NATIVE && asked.tokenIn !== asked.tokenOut;
  const [swap, ...others] = calls;
  if (swap === undefined || others.length > 0 || !isSwapOfToken || asked.tradeType !== 'EXACT_IN')
    return judged;
  const isShort = judged.allowed
    ? await isTokenInUse(database, relayerId, asked.tokenIn)
    : judged.refusals.some(({ code }) => code === 'SIMULATION_FAILED');
  if (!isShort) return judged;
  const words = [swap.to.slice(2).toLowerCase(), asked.amount.toString(16)].map((word) =>
    word.padStart(64, '0'),
  );
  const approval = { ...swap, to: asked.tokenIn, value: '0', data: `${APPROVE}${words.join('')}` };
  const approved = await judgeProposal({ ...proposal, calls: [approval, swap] }, place);
  return approved.allowed ? approved : judged;
}

/** `approve(address,uint256)` */
const APPROVE = '0x095ea7b3';

function valueOf(calls: readonly GivenCall[]): bigint {
  return calls.reduce((sum, { value }) => sum + BigInt(value), 0n);
}

/** What the own nodes say of the calls that are left. */
async function simulated(
  { request, nodes }: ProposalJudgeOptions,
  head: JudgedBlock,
  asked: Asked,
  calls: readonly GivenCall[],
): Promise<Pick<Known, 'changes' | 'gas' | 'ownQuote'>> {
  const found = await simulate(request, head, asked, calls);
  if (found === 'REVERTED') return { changes: found, gas: 0n };
  if (found !== undefined) {
    const quoted = otherSideOf(found.changes, asked);
    return { ...found, ...(quoted !== undefined && { ownQuote: quoted }) };
  }
  // Nodes without simulations estimate one call. The next one is judged when its turn comes.
  const [first] = calls;
  if (first === undefined) return { gas: 0n };
  const { to, data, value } = first;
  const call = { sender: asked.sender as Hex, to: to as Hex, data: data as Hex, valueWei: BigInt(value) };
  const gas = await gasLimitOf(nodes, call);
  return gas === 'REVERTED' ? { changes: gas, gas: 0n } : { gas };
}

/** What the trade gives on the own nodes now; for an exact output, what it takes. */
function otherSideOf(
  changes: readonly BalanceChange[],
  { tradeType, sender, recipient, tokenIn, tokenOut }: Asked,
): bigint | undefined {
  const isExactIn = tradeType === 'EXACT_IN';
  const [account, token] = isExactIn ? [recipient, tokenOut] : [sender, tokenIn];
  const found = changes.find((each) => each.account === account && each.token === token)?.change;
  return found === undefined || isExactIn ? found : -found;
}

/** The policy's judgement of one instruction, by the request that it belongs to. */
export function policyOf(judgeProposal: ProposalJudge, database: Database, relayerId: string): Policy {
  return async ({ relayTransactionId }, sender, rules) => {
    const place = placeOf(relayTransactionId);
    const proposal = await findProposal(database, place.executionId);
    if (proposal === undefined)
      return { code: 'REQUEST_UNKNOWN', detail: 'It is not known what was asked for, so nothing is signed.' };
    const { tokenIn, tokenOut } = proposal.asked;
    const isFirst = place.index === 0 && tokenIn !== NATIVE && tokenIn !== tokenOut;
    if (isFirst && (await isTokenInUse(database, relayerId, tokenIn, place.executionId)))
      return {
        code: 'TOKEN_IN_USE',
        detail:
          'An earlier swap of the same token has the allowance of the router. This one follows when that is mined.',
      };
    const judged = await judgeProposal(proposal, place, { sender, rules });
    if (judged.allowed) return undefined;
    const { refusals } = judged;
    return refusals.find(({ code }) => !WAITED_FOR.has(code)) ?? refusals[0];
  };
}
