import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recipientSchema } from '@fairway/recipients';
import { errorsOf, FACTS, paymentFacts, readExample, TOKEN } from '../../../../test/collectStates.ts';
import { EN } from '../../../words/locales/en/index.ts';
import { detailsPage, readCode, readForm, readLink, reviewPage } from './index.ts';

/** What a browser posts of the first form of a page: hidden inputs, text inputs and chosen radio buttons. */
function postedBy(page: string): URLSearchParams {
  const [form = ''] = /<form[^]*?<\/form>/.exec(page) ?? [];
  const posted = new URLSearchParams();
  for (const [, tag, name, rest] of form.matchAll(
    /<(select|textarea) [^>]*name="([^"]*)"[^>]*>([^]*?)<\/\1>/g,
  )) {
    const chosen = /value="([^"]*)" selected/.exec(rest ?? '')?.[1];
    posted.append(name ?? '', (tag === 'select' ? chosen : rest) ?? '');
  }
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const { type, name, value } = Object.fromEntries(
      [...input.matchAll(/ (type|name|value)="([^"]*)"/g)].map(([, key, text]) => [key, text]),
    ) as { type?: string; name?: string; value?: string };
    if (name === undefined || (/radio|checkbox/.test(type ?? '') && !input.includes(' checked'))) continue;
    posted.append(name, value ?? '');
  }
  return posted;
}

for (const [name, facts] of Object.entries(FACTS)) {
  test(`the form and the review page of ${name} post the recipient that was given`, () => {
    const schema = recipientSchema(facts);
    // An e-mailed recipient is not asked who holds the key of a wallet.
    const { custody: _custody, ...given } = readExample(facts) as Record<string, unknown>;
    const view = { ...paymentFacts(EN), schema, given, email: 'j***@example.com' };
    for (const page of [detailsPage(view), reviewPage(view)]) {
      const posted = postedBy(page);
      assert.equal(posted.get('token'), TOKEN);
      assert.deepEqual(errorsOf(readForm(posted, schema), facts), []);
      assert.deepEqual(readForm(posted, schema), given);
    }
  });

  test(`an empty form of ${name} has a mistake in each required field and nowhere else`, () => {
    const schema = recipientSchema(facts);
    const given = readForm(new URLSearchParams(), schema);
    const page = detailsPage({ ...paymentFacts(EN), schema, given, errors: errorsOf(given, facts) });
    const required = [...page.matchAll(/<(?:input|select|textarea)[^>]*name="([^"]*)"[^>]* required/g)]
      .map(([, field]) => field)
      // A missing choice decides which of these are asked for.
      .filter((field) => !field?.startsWith('idValue.'));
    const summary = /role="alert"[^]*?<\/div>/.exec(page)?.[0] ?? '';
    assert.equal(summary.match(/<li><a href="#/g)?.length, new Set(required).size);
    assert.doesNotMatch(summary, /does not fit together/);
  });
}

test('a form gives the constants of the schema, numbers among them, and no unknown fields', () => {
  const schema = recipientSchema(FACTS.wallet);
  const body = new URLSearchParams(
    'chainId=1&type=bank&address=0x1&address=0x2&name=+&__proto__=x&constructor=y&token=t&account.iban=z',
  );
  assert.deepEqual(readForm(body, schema), { type: 'wallet', chainId: 8453, address: '0x1' });
});

test('the number that a provider knows a wallet by is the one of the chosen kind', () => {
  const schema = recipientSchema(FACTS.emoney);
  const body = new URLSearchParams('idType=EMAIL&idValue.PHONE=%2B63917&idValue.EMAIL=jo%40example.com');
  const { idType, idValue } = readForm(body, schema);
  assert.deepEqual([idType, idValue], ['EMAIL', 'jo@example.com']);
  body.set('idValue.EMAIL', ' ');
  body.set('idValue', 'of another form');
  assert.equal(readForm(body, schema)['idValue'], undefined);
});

test('an address that was posted on several lines is read as one', () => {
  const body = new URLSearchParams({ address: '0xd8dA6BF26964aF9D7eEd\r\n9e03E53415D37aA96045\n' });
  const { address } = readForm(body, recipientSchema(FACTS.wallet));
  assert.equal(address, '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045');
});

test('fields are posted under dotted names and read as objects, never as a whole object', () => {
  const body = new URLSearchParams('name=Jane&account.bsb=062-000&account={"bsb":"1"}&account.x=1&bsb=2');
  assert.deepEqual(readForm(body, recipientSchema(FACTS.au)), {
    type: 'bank',
    name: 'Jane',
    country: 'AU',
    account: { bsb: '062-000' },
  });
});

test('a token is read alone, from a link, and from a link with words around it', () => {
  for (const posted of [
    `#${TOKEN}`,
    TOKEN,
    ` ${TOKEN}\n`,
    `https://pay.example/collect#${TOKEN}`,
    `Open https://pay.example/collect#${TOKEN}, thank you`,
    `<https://pay.example/collect#${TOKEN}>`,
  ]) {
    assert.equal(readLink(posted), TOKEN);
  }
});

test('no token is read from a text without a token', () => {
  for (const posted of [
    '',
    ' ',
    '#',
    'https://pay.example/collect',
    'two words',
    `${'x'.repeat(5000)}#${TOKEN}`,
  ]) {
    assert.equal(readLink(posted), undefined, posted.slice(0, 40));
  }
});

test('a code is six digits, with or without spaces and hyphens', () => {
  for (const posted of ['042817', ' 042 817\n', '042-817', '0 4 2 8 1 7'])
    assert.equal(readCode(posted), '042817');
  for (const posted of ['', '42817', '0428170', 'O42817', '٠٤٢٨١٧', '042.817'])
    assert.equal(readCode(posted), undefined);
});
