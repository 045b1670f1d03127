/**
 * `npm run nightly:webhooks -- [--events N] [--kills N]`: sends events to receivers that fail in all ways, while the sending processes
 * and the database are killed. Ends with exit code 1 at the first fault.
 */
import { parseArgs } from 'node:util';
import { endEverything } from '../processHarness.ts';
import { closeReceivers } from '../webhookReceivers.ts';
import { wholeNumber } from '../wholeNumber.ts';
import { runStorm } from './run.ts';

const { values } = parseArgs({ options: { events: { type: 'string' }, kills: { type: 'string' } } });
const events = wholeNumber('events', values.events ?? '10000', 1);
const kills = wholeNumber('kills', values.kills ?? '20', 1);
try {
  await runStorm({ events, kills, probes: 1_000, say: console.log });
} finally {
  await closeReceivers();
  await endEverything();
}
