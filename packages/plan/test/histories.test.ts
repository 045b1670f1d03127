// Histories that 0.1.0 made still rebuild its plans. histories.jsonl was written by the code of 0.1.0 (the commit 845f45f):
// random walks over every kind of event. It is never written anew: an event of 0.1.0 keeps its decision for ever, and
// a new rule needs a new kind of event.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  decide,
  imbalanceOf,
  missingMovements,
  type Mode,
  type Plan,
  type PlanEvent,
  type RecordedEvent,
  replay,
} from '../src/index.ts';

/** A history: the events by their place in the file, each with its milliseconds after the creation, and its plan. */
type History = {
  readonly mode: Mode;
  readonly way: readonly (readonly [number, number])[];
  readonly steps: string;
  /** The SHA-256 of the plan as JSON with sorted members. */
  readonly plan: string;
};
type Line = { readonly created: Plan } | { readonly event: PlanEvent } | { readonly history: History };

const lines = readFileSync(join(import.meta.dirname, 'histories.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);
const created = lines.flatMap((line) => ('created' in line ? [line.created] : []));
const events = lines.flatMap((line) => ('event' in line ? [line.event] : []));
const histories = lines.flatMap((line) => ('history' in line ? [line.history] : []));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

function recordedHistory({ mode, way }: History): readonly RecordedEvent[] {
  const plan = created.find((each) => each.mode === mode);
  assert.ok(plan !== undefined);
  const first = { type: 'PLAN_CREATED', plan } as const;
  const told = [{ event: first, atMs: 0 }, ...way.map(([place, atMs]) => ({ event: events[place], atMs }))];
  return told.map(({ event, atMs }, index) => {
    assert.ok(event !== undefined);
    return { revision: index + 1, atMs: plan.createdAtMs + atMs, actor: 'test', event };
  });
}

test('histories that 0.1.0 made rebuild the plans that it stored', () => {
  assert.equal(histories.length, 50);
  for (const history of histories) {
    const recorded = recordedHistory(history);
    const way = recorded.map(({ event }) => event.type).join(', ');
    const plan = replay(recorded);
    assert.equal(plan.steps.map(({ status }) => status).join(' '), history.steps, way);
    const digest = createHash('sha256')
      .update(JSON.stringify(sorted(plan)))
      .digest('hex');
    assert.equal(digest, history.plan, `the plan is another one after ${way}`);
  }
});

test('the ledger of each plan of 0.1.0 catches up in one step and adds up', () => {
  for (const history of histories) {
    const plan = replay(recordedHistory(history));
    const movements = missingMovements(plan);
    if (movements.length === 0) continue;
    const decision = decide(plan, { type: 'LEDGER_CAUGHT_UP', after: 0, movements }, plan.updatedAtMs);
    assert.ok(decision.ok && decision.outcome === 'CHANGED');
    assert.deepEqual(imbalanceOf(decision.plan), []);
    assert.deepEqual(missingMovements(decision.plan), []);
  }
});
