export { withMeantAmount } from './meantAmount.ts';
export { priceAsked, withMeantTrade } from './meantTrade.ts';
export { instructionsOf, planAround } from './planSwap.ts';
export {
  type PricedTrade,
  limitOf,
  priceTrade,
  pricedTrade,
  toQuoteRequest,
} from './priceTrade.ts';
export { quoteBody } from './quoteBody.ts';
export {
  type PriceBlock,
  type Trade,
  chainsByDigits,
  completeTrade,
  freshBlock,
  priceBlock,
  resolveTrade,
} from './trade.ts';
export { readTrade } from './tradeFields.ts';
export { impactTooHigh, nodesDisagree, quoteRefused } from './tradeProblems.ts';
export { registerTrading } from './register.ts';
