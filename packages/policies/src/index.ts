export { documentFaults } from './documentFaults.ts';
export { judge, type Judgement } from './judge.ts';
export { limitRefusals, limitsOf, type Spending, type SpendingLimit, spendingOf } from './limits.ts';
export { judgeMessage, judgeTypedData, type TypedData } from './messages.ts';
export {
  type ChainPolicy,
  type CorridorPolicy,
  type Policy,
  readPolicy,
  type ReadPolicy,
  type SpendPolicy,
  type TokenPolicy,
  type TopUpPolicy,
  type TypedDataRule,
  type WindowLimit,
} from './policy.ts';
export type { Asked, BalanceChange, Known, Proposal, Usage } from './proposal.ts';
export type { Refusal, RefusalCode } from './refusal.ts';
export { PolicyDocument } from './schema.ts';
