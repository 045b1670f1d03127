import { AsyncLocalStorage } from 'node:async_hooks';
import { Server } from 'node:http';
import { Client, type QueryResult } from 'pg';

/** NOT_SENT: the server refuses the statement. LOST: it carries the statement out, and its answer is lost. */
export type QueryFailure = 'NOT_SENT' | 'LOST';

/** A failure for the query of this number of the next request, counted from 1. */
type Order = { readonly at: number; readonly failure: QueryFailure; asked: number; text: string | undefined };

type Query = (...given: unknown[]) => Promise<QueryResult>;

/**
 * Queries that a request to a service of this process makes, of which one fails. Queries that the service makes by itself are left
 * alone.
 */
export type FailingQueries = {
  /** Asks while one query fails. `text`: its statement; undefined when the request made fewer queries. */
  whileFailing<Answer>(
    at: number,
    failure: QueryFailure,
    ask: () => Promise<Answer>,
  ): Promise<{ readonly answer: Answer; readonly text: string | undefined }>;
  close(): void;
};

/** Lets queries fail from now on, until it is closed. One request is asked at a time. */
export function startFailingQueries(): FailingQueries {
  const requests = new AsyncLocalStorage<Order>();
  let order: Order | undefined;
  const { emit } = Server.prototype;
  const query = Client.prototype.query as Query;

  Server.prototype.emit = function emitted(this: Server, ...given: Parameters<typeof emit>): boolean {
    const meant = given[0] === 'request' ? order : undefined;
    if (meant === undefined) return emit.apply(this, given);
    order = undefined;
    return requests.run(meant, () => emit.apply(this, given));
  } as typeof emit;
  Client.prototype.query = async function queried(this: Client, ...given: unknown[]): Promise<QueryResult> {
    const meant = requests.getStore();
    if (meant === undefined) return query.apply(this, given);
    meant.asked += 1;
    if (meant.asked !== meant.at) return query.apply(this, given);
    meant.text = String(given[0]);
    if (meant.failure === 'NOT_SENT')
      throw Object.assign(new Error('terminating connection'), { code: '57P01' });
    await query.apply(this, given);
    throw new Error('Connection terminated unexpectedly');
  } as never;

  return {
    async whileFailing(at, failure, ask) {
      const meant: Order = { at, failure, asked: 0, text: undefined };
      order = meant;
      const answer = await ask();
      return { answer, text: meant.text };
    },
    close() {
      Server.prototype.emit = emit;
      Client.prototype.query = query as never;
    },
  };
}
