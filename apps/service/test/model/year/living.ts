// Lives through a year: random worlds, each somewhere in it, written for organisations and corridors in turns.
import { createRandom, type Random } from '@fairway/testing';
import { END_REASONS, KINDS, REASONS, STATUSES, TAKEN_BACK } from '../outcomes.ts';
import { createWorld, live, STEPS } from '../world.ts';
import type { World } from '../worldTypes.ts';
import { type Book, booksOf } from './books.ts';
import { DAY_MS, MONTHS_MS, YEAR } from './calendar.ts';
import { WAYS, type YearGround } from './ground.ts';
import { type Happened, happenings, versionsOf } from './histories.ts';
import type { Placing } from './placing.ts';
import { assertSameRows, tellStore, writeRows, type WrittenPlan } from './writing.ts';

/** How many acts a world lives through after the year. */
const LATER_STEPS = 15;

/**
 * How large a year is: at least so many plans, of the worlds from a seed on. One of `everyNth` worlds is told to the store and
 * goes on after the year. Another one is recorded in the year and committed after it. The others are written as rows.
 */
export type YearSize = { readonly plans: number; readonly seed: number; readonly everyNth: number };

/** What was lived through. `books`: the books of each organisation; its files up to now must add up to them. */
export type Year = {
  readonly books: Map<string, Book[]>;
  readonly planCount: number;
  /** Lives on after the end of the year, and has `books` say so. */
  goOn(): Promise<void>;
};

type Lived = { readonly world: World; readonly placing: Placing };
type Late = {
  readonly happened: readonly Happened[];
  readonly books: readonly Book[];
  readonly placing: Placing;
};

/** What has to come up in a year: how plans stand, where their money is, and how it moves. */
export const OUTCOMES: readonly string[] = [
  ...[...STATUSES, ...END_REASONS, ...REASONS, 'NATIVE', 'restore', 'go on'],
  ...KINDS.map((kind) => `RECORDED ${kind}`),
  ...TAKEN_BACK.map((kind) => `REVERSAL ${kind}`),
];

/** Lives through a year until all outcomes have come up. Throws where they do not. */
export async function liveThroughYear(
  ground: YearGround,
  { plans, seed, everyNth }: YearSize,
): Promise<Year> {
  const books = new Map(ground.scopes.map(({ organisationId }) => [organisationId, [] as Book[]]));
  const seen = new Set<string>();
  const [going, late]: [Lived[], Late[]] = [[], []];
  const writer = createWriter(ground);
  const isWhole = () => OUTCOMES.every((outcome) => seen.has(outcome));
  let planCount = 0;
  for (let index = 0; planCount < plans || !isWhole(); index += 1) {
    if (planCount > 4 * plans + 1_000)
      throw new Error(
        `After ${planCount} plans nothing was ${OUTCOMES.filter((each) => !seen.has(each)).join()}.`,
      );
    const world = createWorld(createRandom(seed + index));
    live(world, STEPS, seen);
    const placing = placingOf(ground, world, index);
    planCount += world.kept.length;
    const all = world.kept.map((one) => happenings(placing, one));
    const due = booksOf(world, placing);
    const way = isTellable(world) ? index % everyNth : undefined;
    if (way === 1) late.push({ happened: all.flat(), books: due, placing });
    else booksOfScope(books, placing).push(...due);
    noteMovements(world, seen);
    const written = all.map((happened) => ({ scope: placing.scope, versions: versionsOf(happened) }));
    if (way === 0) {
      await tellStore(ground.store, all.flat());
      await assertSameRows(ground.pool, written);
      going.push({ world, placing });
    } else if (way !== 1) await writer.add(written);
  }
  await writer.end();
  return {
    ...{ books, planCount },
    async goOn() {
      for (const one of late) {
        await tellStore(ground.store, one.happened);
        booksOfScope(books, one.placing).push(...one.books);
      }
      for (const one of going) await liveOn(ground, one, books);
    },
  };
}

/** Notes each kind of movement that is recorded or taken back, as files have it. */
function noteMovements({ kept }: World, seen: Set<string>): void {
  for (const { plan } of kept)
    for (const { kind, reverses } of plan.ledger ?? [])
      seen.add(`${reverses === undefined ? 'RECORDED' : 'REVERSAL'} ${kind}`);
}

/**
 * Whether the store takes what happened in a world. When two plans have one address, one can lose a transfer to the other before it
 * is compared with the chain. The service then tries again later, and worlds do not have to.
 */
function isTellable({ kept }: World): boolean {
  return new Set(kept.map(({ plan }) => plan.options.depositAddress)).size === kept.length;
}

function booksOfScope(books: Year['books'], { scope }: Placing): Book[] {
  const found = books.get(scope.organisationId);
  if (found === undefined) throw new Error('Each organisation has books.');
  return found;
}

/** What a world does after the year, told to the store. */
async function liveOn({ store }: YearGround, { world, placing }: Lived, books: Year['books']): Promise<void> {
  const before = world.happened;
  // Otherwise a restore would take the year back.
  delete world.backup;
  world.nowMs = YEAR.toMs - placing.shiftMs + world.random.integer(DAY_MS, 20 * DAY_MS);
  live(world, LATER_STEPS);
  if (!isTellable(world)) return;
  const all = world.kept.flatMap((one) => happenings(placing, one));
  await tellStore(
    store,
    all.filter(({ order }) => order > before),
  );
  const due = booksOf(world, placing);
  const ids = new Set(due.map(({ planId }) => planId));
  const found = booksOfScope(books, placing);
  const others = found.filter(({ planId }) => !ids.has(planId));
  found.splice(0, found.length, ...others, ...due);
}

/** Puts a world somewhere into the year; each eighth so that it records something where a month begins, or just before. */
function placingOf({ scopes }: YearGround, { kept }: World, index: number): Placing {
  const random = createRandom(index);
  const times = kept.flatMap(({ history }) => history.map(({ atMs }) => atMs));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const moved = kept.flatMap(({ plan }) => (plan.ledger ?? []).map(({ recordedAtMs }) => recordedAtMs));
  const isFitting = (shiftMs: number) => first + shiftMs >= YEAR.fromMs && last + shiftMs < YEAR.toMs;
  const atBorder = moved.length === 0 || index % 8 !== 0 ? undefined : borderShift(random, moved);
  const anywhere = random.integer(YEAR.fromMs - first, YEAR.toMs - last - 1);
  const shiftMs = atBorder !== undefined && isFitting(atBorder) ? atBorder : anywhere;
  return { world: index, scope: random.pick(scopes), way: random.pick(WAYS), shiftMs };
}

function borderShift(random: Random, moved: readonly number[]): number {
  const border = random.pick(MONTHS_MS.slice(1, -1));
  return border - random.pick(moved) - random.integer(0, 1);
}

/** How many plans are written in one transaction. */
const BATCH_PLANS = 200;

/** Writes plans as rows while others are lived through. */
function createWriter({ pool }: YearGround) {
  let waiting: WrittenPlan[] = [];
  let writing = Promise.resolve();
  async function flush(): Promise<void> {
    await writing;
    const batch = waiting;
    waiting = [];
    writing = writeRows(pool, batch);
    // If the write fails, the next `await` of it throws.
    writing.catch(() => {});
  }
  return {
    async add(plans: readonly WrittenPlan[]): Promise<void> {
      waiting.push(...plans);
      if (waiting.length >= BATCH_PLANS) await flush();
    },
    async end(): Promise<void> {
      await flush();
      await writing;
    },
  };
}
