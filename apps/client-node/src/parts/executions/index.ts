export { NO_RELAYER, readReceipt, type Relayers } from './chainFacts.ts';
export {
  answerOf,
  type ExecuteRequest,
  type ExecutionParts,
  NODES_AWAY,
  type Passed,
  takeSwap,
} from './executeSwap.ts';
export { readPayment } from './readPayment.ts';
export { registerExecutions } from './register.ts';
export { readCalls, refusalProblem, saidOf } from './swapAnswer.ts';
export { senderAmong } from './swapRequest.ts';
