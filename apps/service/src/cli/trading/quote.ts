import { limitOf, priceAsked, type PricedTrade, quoteBody } from '../../parts/trading/index.ts';
import { quoteText } from './quoteText.ts';
import { readTradeQuestion, refusedTrade, type TradeQuestion, TRADE_OPTIONS } from './tradeQuestion.ts';
import { parseCommand } from '../../platform/config/commandLine.ts';
import type { Terminal } from '../terminal.ts';

/**
 * `fairway quote`: derives a quote from the chain's state at a block; the service gives the same quote at that block.
 * Returns what to print.
 * @throws UsageError, CommandError, ConfigError
 */
export async function quoteCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values } = parseCommand(args, TRADE_OPTIONS, false);
  const question = await readTradeQuestion('quote', values, terminal);
  const priced = priceQuestion(question);
  return values.json ? JSON.stringify(timelessBody(priced)) : quoteText(question, priced);
}

function priceQuestion(question: TradeQuestion): PricedTrade {
  const priced = priceAsked(question.trade, 1000 * Number(question.reading.head.timestampSeconds));
  if (!priced.ok) throw refusedTrade(priced.problem, question);
  return priced.value;
}

/** The body of /v1/quote without its times, which come from the service's clock. */
export function timelessBody(priced: PricedTrade): object {
  const { asOf, expiresAt: _expiry, ...rest } = quoteBody(priced, limitOf(priced));
  const { timestamp: _derivedAt, ...block } = asOf;
  return { asOf: block, ...rest };
}
