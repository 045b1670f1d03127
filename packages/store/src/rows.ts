/**
 * The rows of a plan. It is an entry of its own beside the index, for programs that write many plans at once. The
 * service itself writes them only by the operations of a store.
 */
export { movementRows } from './plans/movementRows.ts';
export { planToRows } from './plans/planRows.ts';
