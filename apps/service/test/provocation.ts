import { createRequire } from 'node:module';
import type { ProblemCode } from '@fairway/wire';

/** An answer with its text. */
export type Reply = { status: number; headers: ReadonlyMap<string, string>; text: string };

/** A way to provoke a problem. */
export type Provocation = {
  /** What the caller does, as a test name. */
  readonly when: string;
  ask(): Promise<Reply>;
  /** The fields that `errors` must name. */
  readonly pointers?: readonly string[];
  readonly detail?: RegExp;
  readonly headers?: Readonly<Record<string, RegExp>>;
};

/** Ways to provoke problems, by their codes. */
export type Provocations = Partial<Record<ProblemCode, readonly Provocation[]>>;

/** Sends a request with a credential that has every permission. */
export type Ask = (path: string, init?: RequestInit) => Promise<Reply>;

/** A connection to the database of the service. */
export type Client = {
  connect(): Promise<void>;
  query(sql: string): Promise<unknown>;
  end(): Promise<void>;
};

/** Opens a connection to a database. */
export async function openClient(connection: object): Promise<Client> {
  // Uses the driver of the store: the service has none, and psql may not be installed.
  const { Client } = createRequire(import.meta.resolve('@fairway/postgres'))('pg') as {
    Client: new (connection: object) => Client;
  };
  const client = new Client(connection);
  await client.connect();
  return client;
}

/**
 * Other tests provoke these. One is configured.test.ts. In cases/payeeCheck.test.ts a corridor asks for a check, which
 * none of a sandbox does. The
 * many rows in orderReport.test.ts take too long to make here.
 */
export const PROVOKED_ELSEWHERE: readonly ProblemCode[] = [
  'corridor-suspended',
  'nodes-disagree',
  'too-many-rows',
  'payee-check-required',
  // A Client Node alone answers these; apps/client-node/test provokes them.
  'execution-mode-not-supported',
  'idempotency-key-required',
  'idempotency-key-reused',
  'reconcile-first',
  'unsafe-answer',
  'limit-not-met',
  'policy-refused',
  'not-replaceable',
  'signer-failed',
];
