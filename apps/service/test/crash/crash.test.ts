// A short run of `npm run test:crash`: what was acknowledged outlives kill -9 of services and database.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { endEverything } from '../processHarness.ts';
import { runCrashes } from './rounds.ts';

after(endEverything);

test('what was acknowledged is there after kill -9 of services and database, and nothing is there by half', async () => {
  const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`FC_SEED=${seed}`);
  const victims = ['database', 'everything', 'second service'] as const;
  const report = await runCrashes({
    seed,
    rounds: victims.length,
    seconds: 60,
    victims,
    awaitsJobs: false,
    say: console.log,
  });
  assert.deepEqual(report.findings, []);
  assert.ok(report.plans > 0, 'the load made plans');
});
