/** What calls are checked with before they are signed, for those who sign elsewhere: it reads no network. */
export { type UnsafeReason, UnsafeAnswerError } from './errors/refusals.ts';
export { checkSwap } from './execution/checkSwap.ts';
export {
  addressOf,
  type CheckedCall,
  type CheckedSwap,
  type GivenCall,
  type Limit,
  NATIVE,
  type Order,
} from './execution/order.ts';
