export { matchPayments } from './matchPayments.ts';
export { registerReconciliation } from './operations.ts';
export { publishedEventsOfStatement } from './publishedEvents.ts';
export type { StatementParts } from './statementParts.ts';
