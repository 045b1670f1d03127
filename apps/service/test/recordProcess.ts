// A process that keeps the record of a chain, for tests that kill or stop it. Its argument says with what.
import { toAddress } from '@fairway/engine';
import { createChainRpc } from '@fairway/evm';
import type { DatabaseConnection } from '@fairway/postgres';
import { openStore } from '@fairway/store';
import { startChainRecord } from '../src/platform/record/chain.ts';
import { recordedChain } from './recordHarness.ts';

type Setting = {
  readonly connection: DatabaseConnection;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly token: string;
  readonly holder: string;
};

const { connection, rpcUrl, chainId, token, holder } = JSON.parse(process.argv[2] ?? '{}') as Setting;
const opened = await openStore({ connection });
if (!opened.ok) throw new Error(opened.detail);
const { request } = createChainRpc([rpcUrl], 10_000);
startChainRecord({
  chain: recordedChain({ chainId }, toAddress(token), request),
  store: opened.store.record,
  key: { environment: 'sandbox', chainId },
  holder,
  events: { onAddedLate: () => {}, onIgnored: () => {}, onRuledOut: () => {}, onUntraced: () => {} },
  warn: console.error,
});
console.log('started');
