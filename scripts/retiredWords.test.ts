import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retiredWords } from './retiredWords.ts';
import { retiredFindings, tidyFindings } from './tidy.ts';

const wordsOf = (text: string) => retiredWords(text).map((message) => message.split(' is a retired word')[0]);

test('a retired word is found in sentences and in every kind of name', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['// What is news of a plan.', 'news'],
    ['const each = newsOf(plan);', 'news'],
    ['type StatementNews = {};', 'News'],
    ['const STEP_NEWS = {};', 'NEWS'],
    ['function deedOf() {}', 'deed'],
    ['/** The deeds of a caller. */', 'deeds'],
    ["import { buildTenantWall } from './tenant.ts';", 'Wall'],
    ['The wall refuses it.', 'wall'],
    ['create table saved_recipients ()', 'saved_recipient'],
    ['const savedRecipient = 1;', 'savedRecipient'],
    ['A saved recipient is ACTIVE.', 'saved recipient'],
    ['await loadCatchUp(state);', 'CatchUp'],
    ['const MAX_CATCH_UP_BLOCKS = 1;', 'CATCH_UP'],
    ['await caughtUp();', 'caughtUp'],
    ['while a transaction is in flight', 'flight'],
    ['await landFlights(plan);', 'Flights'],
    ['await retellReports();', 'retell'],
    ['const isUntold = true;', 'Untold'],
    ['const savedPlans = new Map();', 'savedPlan'],
    ['The domain event is sent.', 'domain event'],
    ['for (const ledgerEntry of entries) {}', 'ledgerEntry'],
    ['// An accounting export of March.', 'accounting export'],
    ["The bank's file has it.", "bank's file"],
    ['const payoutFile = written;', 'payoutFile'],
    ['An SQL statement is refused.', 'SQL statement'],
    ["const POOL_TYPES = ['V2'];", 'POOL_TYPES'],
    ['body.nextAction', 'nextAction'],
  ];
  for (const [text, word] of cases) assert.deepEqual(wordsOf(text), [word], text);
});

test('words that only look alike, the wall clock, and codes of the API are none', () => {
  const texts = [
    'renews indeed the wallet of newSaved, newStep and PREFLIGHT_NEWSTEP',
    'the wall clock, wallClockMs and a wall-clock time',
    "refuse('execution-in-flight')",
    "{ type: 'saved', recipientId }",
    'The payout statement has each entry of a bank statement, and SavedChain is a file.',
    'The market is saved, and isCatchingUp (CATCHING_UP): quotes resume when it has caught up.',
  ];
  for (const text of texts) assert.deepEqual(wordsOf(text), [], text);
});

test('sources and documents with a retired word are refused at its line, and so is such a path', () => {
  const message = 'deed is a retired word: write command, event or step';
  assert.deepEqual(tidyFindings('packages/store/test/a.ts', '\nconst deed = given();\n'), [
    { place: 'packages/store/test/a.ts:2', message },
  ]);
  assert.deepEqual(retiredFindings('docs/events.md', 'A deed.\n'), [{ place: 'docs/events.md:1', message }]);
  assert.deepEqual(retiredFindings('packages/store/src/deed.ts', ''), [
    { place: 'packages/store/src/deed.ts', message },
  ]);
});
