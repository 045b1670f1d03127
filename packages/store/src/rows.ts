/**
 * The rows of a plan. A door of its own beside the index, for programs that write many plans at once: the service writes them by
 * the operations of a store alone.
 */
export { movementRows } from './plans/movementRows.ts';
export { planToRows } from './plans/planRows.ts';
