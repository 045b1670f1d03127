// A database with a store and some organisations, and the corridors of the year.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { openStore, type PlanScope, type Store, type TokenName } from '@fairway/store';
import { startTestDatabase } from '@fairway/testing';
import { Pool } from 'pg';
import { createDesk, type Desk } from './desk.ts';
import type { Way } from './placing.ts';

/** Where a year is lived through. */
export type YearGround = {
  readonly store: Store;
  readonly pool: Pool;
  readonly scopes: readonly PlanScope[];
  readonly clock: { nowMs: number };
  /** Where reports are made; with other reports than those of the store, a fault is planted. */
  desk(reports?: Store['reports']): Desk;
  close(): Promise<void>;
};

/** Corridors on two chains, with tokens of other decimals, one of which two corridors have. */
export const WAYS: readonly Way[] = [
  wayOf('usdc-aud-bank', token(1, 'USDC', 6), token(1, 'tAUD', 6)),
  wayOf('usdc-eur-iban', token(1, 'USDC', 6), token(1, 'tEUR', 18)),
  wayOf('usdt-sgd-bank', token(137, 'USDT', 6), token(137, 'tSGD', 2)),
];

function token(chainId: number, symbol: string, decimals: number): TokenName {
  const digits = Buffer.from(`${symbol} ${chainId}`).toString('hex').padEnd(40, 'c');
  return { chainId, address: `0x${digits}`, symbol, decimals };
}

function wayOf(corridorId: string, source: TokenName, target: TokenName): Way {
  return { corridorId, source, target, third: token(source.chainId, 'none', 0).address };
}

/** Starts a database with so many organisations. */
export async function openGround(organisations: number): Promise<YearGround> {
  await using ending = new AsyncDisposableStack();
  const postgres = await startTestDatabase();
  ending.defer(() => postgres.close());
  const clock = { nowMs: 0 };
  const opened = await openStore({
    connection: postgres.connection,
    sealingKeys: [{ id: 'k1', key: randomBytes(32) }],
    now: () => new Date(clock.nowMs),
  });
  assert.ok(opened.ok);
  const { store } = opened;
  ending.defer(() => store.close());
  const pool = new Pool({ ...postgres.connection, max: 2 });
  // The database may end before its connections are gone.
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  ending.defer(() => pool.end());
  const scopes: PlanScope[] = [];
  for (let number = 1; number <= organisations; number += 1) {
    const asked = { organisation: `Firm ${number}`, environment: 'sandbox', permissions: [] } as const;
    const made = await store.createCredential(asked);
    assert.ok(made.ok);
    scopes.push({ organisationId: made.organisationId, environment: 'sandbox' });
  }
  const tokens = WAYS.flatMap(({ source, target }) => [source, target]);
  const all = ending.move();
  return {
    ...{ store, pool, scopes, clock },
    desk: (reports = store.reports) => createDesk(reports, tokens, () => clock.nowMs),
    close: () => all.disposeAsync(),
  };
}
