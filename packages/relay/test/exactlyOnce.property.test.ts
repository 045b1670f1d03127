// Processes are killed, transactions lost, doubled and forgotten, blocks reorganised. A call is executed exactly once or,
// if it was cancelled or came too late, never. The chain judges.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { isSeedGiven, runs, scale, seed } from '@fairway/testing/properties';
import { DEPTH } from './chain.ts';
import { type Call, unknownNonces } from '../src/index.ts';
import {
  assertTrue,
  createWorld,
  executionsOf,
  honest,
  live,
  pass,
  RULES,
  type Wanted,
  wantedOf,
  type World,
} from './lives.ts';
import { PLANTED } from './planted.ts';

const first = scale > 1 || isSeedGiven ? seed : 1;
const lives = runs(60);

test(`in ${lives} lives every call is executed exactly once, or ended without`, async () => {
  let kills = 0;
  const outcomes = new Map<string, number>();
  for (let index = 0; index < lives; index += 1) {
    const random = createRandom(first + index);
    const world = createWorld(random);
    try {
      await live(world, wantedOf(random, 12), honest);
      assertTrue(world);
    } catch (error) {
      throw new Error(`FC_SEED=${first + index}`, { cause: error });
    }
    kills += world.kills;
    for (const { outcome } of world.database.rows())
      outcomes.set(String(outcome?.as), (outcomes.get(String(outcome?.as)) ?? 0) + 1);
  }
  console.log(`${kills} kills`, Object.fromEntries(outcomes));
  for (const as of ['CONFIRMED', 'REVERTED', 'CANCELLED', 'EXPIRED', 'WITHDRAWN'])
    assert.ok(outcomes.has(as), as);
});

for (const [fault, createProcess] of Object.entries(PLANTED))
  test(`a sender is found that ${fault}`, async () => {
    for (let index = 1; index <= 40; index += 1) {
      const random = createRandom(index);
      const found = await live(createWorld(random), wantedOf(random, 12), createProcess(), 200).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (found !== undefined && /is there \d+ times/.test(found)) return;
    }
    assert.fail('no life found a call that was executed twice');
  });

test(`in ${lives} lives an older database is put back beside its journal, and goes on`, async () => {
  let closed = 0;
  for (let index = 0; index < lives; index += 1) {
    const random = createRandom(first + index);
    const world = createWorld(random);
    const wanted = wantedOf(random, 12);
    try {
      await restore(world, wanted);
      const isDisabled = world.database.relayer().disabled !== undefined;
      if (isDisabled) world.database.takeOver(world.journal.values());
      closed += Number(isDisabled);
      await live(world, wanted, honest);
      assertTrue(world);
    } catch (error) {
      throw new Error(`FC_SEED=${first + index}`, { cause: error });
    }
  }
  assert.ok(closed > lives / 4, `a relayer was disabled in ${closed} lives`);
});

test(`in ${lives} lives the journal is lost, too, and an operator cancels what is unknown`, async () => {
  let executedBefore = 0;
  for (let index = 0; index < lives; index += 1) {
    const random = createRandom(first + index);
    const world = createWorld(random);
    const wanted = wantedOf(random, 12);
    try {
      await restore(world, wanted, () => {
        world.journal.clear();
        return world.database.store.disable('r', 'DATABASE_OLDER');
      });
      await cancelUnknown(world, wanted);
      // The operator has looked: what the chain has is not asked for again.
      const left = new Map([...wanted].filter(([, calls]) => !calls.some((call) => isThere(world, call))));
      executedBefore += wanted.size - left.size;
      for (const row of world.database.rows())
        if (isThere(world, row.call)) world.database.cancel(row.relayTransactionId);
      world.database.enable();
      const known = new Set(world.database.rows().map(({ executionId }) => executionId));
      await live(world, new Map([...left].filter(([id]) => !known.has(id))), honest);
    } catch (error) {
      throw new Error(`FC_SEED=${first + index}`, { cause: error });
    }
  }
  assert.ok(executedBefore > lives, `${executedBefore} executions were there already`);
});

/** Lives for a while, then puts an older database back, and goes on with it. */
async function restore(world: World, wanted: Wanted, then = async () => {}): Promise<void> {
  const { random, database } = world;
  const restoredAt = random.integer(3, 40);
  const takenAt = restoredAt - random.integer(1, 12);
  let backup = database.backup();
  for (let at = 0; at < restoredAt; at += 1) {
    if (at === takenAt) backup = database.backup();
    await pass(world, wanted, honest, at);
  }
  database.restore(backup);
  await then();
  for (let at = 0; at < 20; at += 1) await pass(world, wanted, honest, at);
}

/** Binds cancellations to what is unknown, and waits until all of them are final. */
async function cancelUnknown(world: World, wanted: Wanted): Promise<void> {
  const { database, chain } = world;
  const nonces = () => chain.look([]);
  // Those that waited can wait unknown, and those of the blocks that a reorganisation took back.
  const upTo = nonces().nonceLatest + RULES.mostPending * DEPTH;
  const { open } = await database.store.read('r');
  const unknown = unknownNonces(database.relayer(), open, nonces(), { upTo, lately: new Set() });
  database.cancelNonces(unknown, Math.max(upTo + 1, database.relayer().nextNonce));
  const isOpen = () =>
    database
      .rows()
      .some(({ executionId, outcome }) => executionId.startsWith('nonce') && outcome === undefined);
  for (let blocks = 0; isOpen(); blocks += 1) {
    assert.ok(blocks < 300, 'what is unknown never becomes final');
    await pass(world, wanted, honest, 0);
  }
}

function isThere(world: World, { to, data }: Call): boolean {
  return executionsOf(world).has(`${to} ${data}`);
}
