export { readReceipt, type Relayers } from './chainFacts.ts';
export { answerOf, type ExecutionParts, takeSwap } from './executeSwap.ts';
export { registerExecutions } from './register.ts';
