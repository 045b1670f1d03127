import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recipientFormats } from './formats.ts';

test('a format accepts a right value, and refuses a wrong one without help of a pattern', () => {
  const examples: Readonly<Record<string, { right: string; wrong: readonly string[] }>> = {
    iban: { right: 'DE36 0000 0000 0000 0000 00', wrong: ['DE', 'DE36', 'DE36000000000000000000X'] },
    bic: { right: 'XMPL DE 22', wrong: ['XMPL', 'XMPLDE22X', 'XMPLZZ22'] },
    'aba-routing-number': { right: '800000006', wrong: ['80000000', '8000000060', '80000000x'] },
    clabe: {
      right: '000000000000000013',
      wrong: ['00000000000000001', '0000000000000000130', `${'x'.repeat(18)}`],
    },
    'evm-address': { right: `0x${'1'.repeat(40)}`, wrong: [`0x${'1'.repeat(39)}`, `0x${'g'.repeat(40)}`] },
    'email-address': {
      right: 'jane@example.com',
      wrong: [
        'jane',
        'jane@example.com@example.com',
        'jane@example.com, b@example.com',
        `${'a'.repeat(65)}@example.com`,
        `a@${'b.'.repeat(126)}example`,
        'jane@example.com\nBcc: b@example.com',
        'jané@example.com',
      ],
    },
  };
  assert.deepEqual(Object.keys(examples).toSorted(), Object.keys(recipientFormats).toSorted());
  for (const [name, { right, wrong }] of Object.entries(examples)) {
    assert.equal(recipientFormats[name]?.(right), true, name);
    for (const text of ['', ' ', '\0', '__proto__', ...wrong]) {
      assert.equal(recipientFormats[name]?.(text), false, `${name} ${text}`);
    }
  }
});
