// Two nodes relay for one key on one database: each call is executed exactly once, whichever of them dies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { liveOnce } from './exactlyOnce.ts';
import {
  ask,
  disabled,
  type Ground,
  mine,
  outcomes,
  paid,
  startKindGround,
  until,
  untilOver,
} from './ground.ts';

test('each call is executed exactly once by two nodes of which either is killed again and again', async () => {
  const random = createRandom();
  console.log(`FC_SEED=${random.seed}`);
  const life = { executions: 12, kills: 6, reorganisations: 3, processes: 2 };
  console.log(await liveOnce(life, random));
});

test('two nodes on quick blocks do not take each other for a stranger with their key', async () => {
  await using ground = await startKindGround();
  const other = ground.another('other');
  await ground.tellJournals([other]);
  await ground.chain.rpc('evm_setAutomine', [true]);
  for (const each of [ground.process, other]) each.start();
  const recipients: `0x${string}`[] = [];
  for (let round = 0; round < 8; round += 1) {
    recipients.push(...(await ask(ground, [`a${round}`, `b${round}`])));
    await mine(ground);
    assert.equal(await disabled(ground), null, `round ${round}`);
  }
  await untilOver(ground);
  assert.deepEqual(new Set(await paid(ground, recipients)), new Set([1]));
});

test('a rolling restart loses nothing and doubles nothing', async () => {
  await using ground = await startKindGround();
  const next = ground.another('next');
  await ground.tellJournals([next]);
  ground.process.start();
  const recipients = [...(await ask(ground, ['a', 'b', 'c']))];
  await until(async () => (await attempts(ground)) > 0, 'the first is at work');
  next.start();
  recipients.push(...(await ask(ground, ['d', 'e', 'f'])));
  await mine(ground);
  assert.equal(await ground.process.stop(), 0, 'it ends by itself');
  recipients.push(...(await ask(ground, ['g', 'h'])));
  await until(async () => (await attempts(ground)) > 6, 'the next one is at work');
  await untilOver(ground);
  assert.deepEqual(
    await outcomes(ground),
    recipients.map(() => 'CONFIRMED'),
  );
  assert.deepEqual(
    await paid(ground, recipients),
    recipients.map(() => 1),
  );
  assert.equal(await disabled(ground), null);
});

test('a second process on one data folder is refused until the first is gone', async () => {
  await using ground = await startKindGround();
  ground.process.start();
  const [recipient] = await ask(ground, ['a']);
  await until(async () => (await attempts(ground)) > 0, 'the first is at work');
  const second = ground.another('journal');
  second.start();
  assert.equal(await second.ended(), 1);
  assert.match(
    second.errors.join(''),
    /journal is in use by the running process \d+\. Stop that one first, or choose another data folder\.\n$/,
  );
  await ground.process.kill();
  second.start();
  await untilOver(ground);
  assert.deepEqual(await paid(ground, [recipient ?? '0x']), [1]);
});

async function attempts({ database }: Ground): Promise<number> {
  return (await database.selectFrom('attempts').select('hash').execute()).length;
}
