import type { Explanation } from '@fairway/engine';
import type { PricedTrade } from '../../parts/trading/index.ts';
import type { CommandError } from '../commandError.ts';
import type { TradeQuestion } from './tradeQuestion.ts';

/** The explanation of a trade: its price or why there is none, and why each pool is used or not. */
export type ExplainedTrade = {
  readonly question: TradeQuestion;
  /** Absent where there is no quote. */
  readonly priced: PricedTrade | undefined;
  /** Why the service gives no quote: there is none, or its price impact is beyond the operator's bound. */
  readonly refusal: CommandError | undefined;
  /** Absent for the 1:1 exchange of native currency and its wrapped token. */
  readonly explanation: Explanation | undefined;
};
