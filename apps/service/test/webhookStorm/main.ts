/**
 * `npm run nightly:webhooks -- [--events N] [--kills N] [--probes N]`: sends events to receivers that fail in all ways, while the
 * sending processes and the database are killed. Ends with exit code 1 at the first fault. It is a fault, too, when a dead receiver
 * delays the p99 of others by 10 % or more: run it on a quiet machine.
 */
import { parseArgs } from 'node:util';
import { endEverything } from '../processHarness.ts';
import { closeReceivers } from '../webhookReceivers.ts';
import { wholeNumber } from '../wholeNumber.ts';
import { runStorm } from './run.ts';

const TEXT = { type: 'string' } as const;
const { values } = parseArgs({ options: { events: TEXT, kills: TEXT, probes: TEXT } });
const events = wholeNumber('events', values.events ?? '10000', 1);
const kills = wholeNumber('kills', values.kills ?? '20', 1);
const probes = wholeNumber('probes', values.probes ?? '1000', 1);
try {
  await runStorm({ events, kills, probes, mostDelayed: 0.1, say: console.log });
} finally {
  await closeReceivers();
  await endEverything();
}
