// Webhooks while everything fails: receivers in all ways, the sending processes, and the database.
import { after, test } from 'node:test';
import { endEverything } from '../processHarness.ts';
import { closeReceivers } from '../webhookReceivers.ts';
import { runStorm } from './run.ts';

after(async () => {
  await closeReceivers();
  await endEverything();
});

test('100 events reach receivers that fail, through kills of senders and database', async (t) => {
  await runStorm({ events: 100, kills: 2, probes: 10, say: (line) => t.diagnostic(line) });
});
