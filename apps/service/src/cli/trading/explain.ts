import { writeFileSync } from 'node:fs';
import { explainQuote } from '@fairway/engine';
import { impactTooHigh, pricedTrade, quoteRefused, toQuoteRequest } from '../../parts/trading/index.ts';
import { CommandError } from '../commandError.ts';
import type { ExplainedTrade } from './explainedTrade.ts';
import { explanationJson } from './explanationJson.ts';
import { explanationText } from './explanationText.ts';
import { pictureOf } from './pictureOf.ts';
import { routeSvg } from './routeSvg.ts';
import { readTradeQuestion, refusedTrade, type TradeQuestion, TRADE_OPTIONS } from './tradeQuestion.ts';
import { parseCommand } from '../../platform/config/commandLine.ts';
import type { Terminal } from '../terminal.ts';

const OPTIONS = { ...TRADE_OPTIONS, svg: { type: 'string' } } as const;

/**
 * `fairway explain`: explains a quote, or why the service gives none. Returns the text to print.
 * @throws UsageError, CommandError, ConfigError
 */
export async function explainCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values } = parseCommand(args, OPTIONS, false);
  const explained = explainTrade(await readTradeQuestion('explain', values, terminal));
  if (values.svg !== undefined) drawTo(values.svg, explained);
  return values.json ? JSON.stringify(explanationJson(explained)) : explanationText(explained);
}

function explainTrade(question: TradeQuestion): ExplainedTrade {
  const { trade, reading } = question;
  const atMs = 1000 * Number(reading.head.timestampSeconds);
  if (trade.tokenIn.address === trade.tokenOut.address) {
    const priced = pricedTrade(trade, atMs, undefined);
    return { question, priced, refusal: undefined, explanation: undefined };
  }
  const explanation = explainQuote(reading.market, toQuoteRequest(trade));
  const { result } = explanation;
  if (!result.ok) {
    const refusal = refusalOf(quoteRefused(result.refusal, trade), question);
    return { question, priced: undefined, refusal, explanation };
  }
  const { priceImpactBps } = result.quote;
  const { maxPriceImpactBps } = question.chain;
  const refusal =
    priceImpactBps > maxPriceImpactBps
      ? refusalOf(impactTooHigh(priceImpactBps, maxPriceImpactBps), question)
      : undefined;
  return { question, priced: pricedTrade(trade, atMs, result.quote), refusal, explanation };
}

function refusalOf(problem: Parameters<typeof refusedTrade>[0], question: TradeQuestion): CommandError {
  const refused = refusedTrade(problem, question);
  if (refused instanceof CommandError) return refused;
  throw refused;
}

function drawTo(file: string, { question, priced }: ExplainedTrade): void {
  if (priced?.routed === undefined)
    throw new CommandError(
      'NO_ROUTE',
      `--svg ${file}: there is no route to draw; ask without --svg for the reasons.`,
    );
  try {
    writeFileSync(file, routeSvg(pictureOf(question, priced, priced.routed)));
  } catch (error) {
    throw new CommandError(
      'FILE_NOT_WRITTEN',
      `--svg ${file}: cannot be written: ${(error as Error).message}`,
    );
  }
}
