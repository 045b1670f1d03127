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
} from '@fairway/policies';
import type { Hex } from '@fairway/relay';
import type { CheckedCall, GivenCall } from '@fairway/sdk/checks';
import { placeOf, relayTransactionIdOf } from '../database/executions.ts';
import { findProposal, type Grounds } from '../database/grounds.ts';
import type { Database } from '../database/schema.ts';
import { readUsage, type Taking } from '../database/spendings.ts';
import { balanceOf, gasLimitOf, latestSeconds, reverts } from './callFacts.ts';
import type { Policy } from './judge.ts';
import { simulate } from './simulate.ts';

/** Allowed calls with what they take from limits, or all that refuses them. */
export type Judged =
  | { readonly allowed: true; readonly calls: readonly CheckedCall[]; readonly takes: Taking }
  | { readonly allowed: false; readonly refusals: readonly Refusal[] };

/** Where a proposal is: calls before `index` have been executed. */
type Place = { readonly executionId: string; readonly index: number };

/** Judges all calls of an execution by the policy, with what the own nodes and the database say. */
export type ProposalJudge = (proposal: Proposal & Grounds, place: Place) => Promise<Judged>;

/** What proposals are judged with. */
export type ProposalJudgeOptions = {
  readonly policy: PolicyDocument;
  readonly database: Database;
  readonly request: ChainRpc['request'];
  readonly nodes: readonly NodeRpc[];
  /** What a unit of gas may cost at most. */
  readonly maxFeePerGasCapWei: bigint;
};

/** Makes the judge of one chain's proposals. */
export function createProposalJudge(options: ProposalJudgeOptions): ProposalJudge {
  const { policy, database, request, maxFeePerGasCapWei } = options;
  return async (proposal, { executionId, index }) => {
    const { asked, calls, said } = proposal;
    const { chainId, sender, recipient, tokenIn } = asked;
    const limits = limitsOf(policy, { chainId, token: tokenIn });
    const spending = { chainId, relayer: sender, recipient, token: tokenIn, amount: 0n };
    const last = relayTransactionIdOf(executionId, Math.max(0, calls.length - 1));
    const [nowSeconds, balanceWei, usage] = await Promise.all([
      latestSeconds(request),
      balanceOf(request, sender as Hex),
      readUsage(database, last, { limits, spending }),
    ]);
    const known = { ...said, nowSeconds, balanceWei, usage, maxFeePerGasWei: maxFeePerGasCapWei };
    // Calls that do something else than was asked for are not even simulated.
    const alone = judge(policy, proposal, { ...known, gas: 0n });
    if (!alone.allowed && alone.refusals.some(({ code }) => code.startsWith('ANSWER_'))) return alone;
    const judgement = judge(policy, proposal, {
      ...known,
      ...(await simulated(options, asked, calls.slice(index))),
    });
    if (!judgement.allowed) return judgement;
    return { allowed: true, calls: judgement.checked.calls, takes: { limits, spending: judgement.spending } };
  };
}

/** What the own nodes say of the calls that are left. */
async function simulated(
  { request, nodes }: ProposalJudgeOptions,
  asked: Asked,
  calls: readonly GivenCall[],
): Promise<Pick<Known, 'changes' | 'gas' | 'ownQuote'>> {
  const found = await simulate(request, asked, calls);
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
  if (await reverts(request, call)) return { changes: 'REVERTED', gas: 0n };
  return { gas: await gasLimitOf(nodes, call) };
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
export function policyOf(judgeProposal: ProposalJudge, database: Database): Policy {
  return async ({ relayTransactionId }) => {
    const place = placeOf(relayTransactionId);
    const proposal = await findProposal(database, place.executionId);
    if (proposal === undefined)
      return { code: 'REQUEST_UNKNOWN', detail: 'It is not known what was asked for, so nothing is signed.' };
    const judged = await judgeProposal(proposal, place);
    if (judged.allowed) return undefined;
    const { refusals } = judged;
    return refusals.find(({ code }) => code !== 'BALANCE_NOT_KEPT') ?? refusals[0];
  };
}
