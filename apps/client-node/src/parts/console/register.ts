import { type Door, invalidFields, pageHeaders, policyOf, type ReadQuery, timestampOf } from '@fairway/api';
import type { NodeOperationId } from '@fairway/wire';
import { receiptOf } from '../../platform/database/receipts.ts';
import { type KeptTransaction, listTransactions } from '../../platform/database/transactions.ts';
import { type RelayerParts, relayerViews } from '../relayers/index.ts';
import { consolePage, type ShownTransaction } from './page.ts';
import { CONSOLE_STYLE } from './style.ts';

/** How many instructions a list of the page has. */
const ROWS = 25;

/** The page is for those who may read relayers and transactions. */
const READERS = { config: { access: { kind: 'PERMISSION', permission: 'relay:read' } } } as const;

const HEADERS = { ...pageHeaders(policyOf(CONSOLE_STYLE)), 'cache-control': 'no-store' };

const WRONG_PLACE = invalidFields([
  {
    pointer: '/query/before',
    detail: 'before must be a place of the history, as links of this page have it.',
  },
]);

/** Registers the page of the operator. It only reads. */
export function registerConsole(
  { server, gate, sendProblem }: Pick<Door<NodeOperationId>, 'server' | 'gate' | 'sendProblem'>,
  { database, relayers }: RelayerParts,
  environment: string,
): void {
  server.get('/relay/console', READERS, async (request, reply) => {
    const { values, repeated } = request.query as ReadQuery;
    const given = values.get('before');
    if (repeated.length > 0 || (given !== undefined && !/^\d{1,18}$/.test(given)))
      return sendProblem(request, reply, WRONG_PLACE);
    const organisationId = request.caller?.organisationId ?? '';
    const refused = await gate.run({ organisationId, operation: 'console' }, 'CHAIN', async () => {
      const before = given === undefined ? undefined : BigInt(given);
      const [shown, open, ended] = await Promise.all([
        relayerViews(database, relayers),
        listTransactions(database, { status: 'OPEN' }, { limit: ROWS + 1, before: undefined }),
        listTransactions(database, { status: 'ENDED' }, { limit: ROWS + 1, before }),
      ]);
      const history = ended.slice(0, ROWS);
      const text = consolePage({
        ...{ at: timestampOf(Date.now()), environment, relayers: shown },
        pending: open.slice(0, ROWS).map(shownTransaction),
        hasMorePending: open.length > ROWS,
        history: history.map(shownTransaction),
        olderThan: given,
        next: ended.length > ROWS ? String(history.at(-1)?.created) : undefined,
      });
      reply.headers(HEADERS).send(text);
      return undefined;
    });
    return refused === undefined ? reply : sendProblem(request, reply, refused);
  });
}

function shownTransaction(kept: KeptTransaction): ShownTransaction {
  return { ...receiptOf(kept), relayerId: kept.relayerId, attempts: kept.attempts.length };
}
