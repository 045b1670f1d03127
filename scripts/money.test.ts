import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MONEY_SOURCE, moneyFindings } from './money.ts';
import { repositoryRoot, treeFiles } from './repository.ts';

test('in plan and store, money never passes through floating point', () => {
  const sources = treeFiles().filter((path) => MONEY_SOURCE.test(path));
  assert.ok(
    sources.includes('packages/plan/src/decide.ts') &&
      sources.includes('packages/store/src/database/schema.ts'),
  );
  const findings = sources.flatMap((path) =>
    moneyFindings(path, readFileSync(join(repositoryRoot, path), 'utf8')),
  );
  assert.deepEqual(findings, []);
});

const FAULTS = [
  'const units = Number(amount);',
  'const units = Number(row.amount_in);',
  'const units = Number(unitsOf(received)) / 1e18;',
  'const units = globalThis.Number(received);',
  'amounts.map(Number)',
  'const units = parseFloat(amount);',
  'const units = parseInt(amount, 10);',
  'const units = +amount;',
  'return +received;',
  'take(+step.confirmed)',
  'const fee = unitsOf(amount) / 100n;',
  'const out = amountIn * price;',
  'const out = amountIn ** 2;',
  'const rest = amount % 10n;',
  'const most = Math.max(received, expected);',
  'const units = Math.floor(amount);',
  'const shown = amount.toFixed(2);',
  'const share = 0.5;',
  'const twice = 2 * amount;',
  'const lengthPrice = 2 * price.amount;',
  'const unit = 1e18;',
  'const told = `${amount / 2n} units`;',
  'const units = Number(accountMs) * Number(price);',
];

for (const fault of FAULTS) {
  test(`code that could round money is found: ${fault}`, () => {
    const source = `/** A docstring. */\nexport const x = 1;\n${fault}\n`;
    assert.deepEqual(
      moneyFindings('packages/plan/src/x.ts', source).map(({ place }) => place),
      ['packages/plan/src/x.ts:3'],
    );
  });
}

const FINE = [
  'const updatedAtMs = Math.max(atMs, plan.updatedAtMs);',
  'const revision = Number(row.revision);',
  'const validUntilMs = nowMs + overlapSeconds * 1_000;',
  'while (place >= 0 && place % 2 !== 0) place += 1;',
  "const sentence = 'half / of * it + 1.5 %'; // Number(amount) / 2",
  'const told = `${received} / ${expected}`;',
  'const canonical = /^(0|[1-9][0-9]{0,77})$/;',
  'const isWhole = /a\\/b * c/.test(text);',
  '/* amount * price\n / Math.PI */',
  'const shown = Math.min(2, Math.floor(characters.length / 2));',
  'await withPatience(loop, CLOSE_MS + 2 * LEAVE_PATIENCE_MS);',
  'const since = new Date(now.getTime() - KEPT_DAYS * 86_400_000);',
  'const sum = a + b;',
  'index += 1;',
];

for (const code of FINE) {
  test(`code that cannot round money is allowed: ${code}`, () => {
    assert.deepEqual(moneyFindings('packages/plan/src/x.ts', code), []);
  });
}
