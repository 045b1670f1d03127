import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { recipientSchema } from '@fairway/recipients';
import {
  collectStates,
  errorsOf,
  FACTS,
  paymentFacts,
  readExample,
  TOKEN,
} from '../../../../test/collectStates.ts';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import { EN } from '../../../words/locales/en/index.ts';
import { catalogueOf, CATALOGUES } from '../../../words/locales/index.ts';
import { type Colour, contrast, LEAST_CONTRAST } from '../../../words/text/colours.ts';
import {
  COLLECT_POLICY,
  colourStyle,
  destinationPage,
  detailsPage,
  gonePage,
  receiptPage,
  reviewPage,
} from './index.ts';

const allPages = CATALOGUES.flatMap((catalogue) =>
  Object.entries(collectStates(catalogue)).map(
    ([name, page]) => [`${catalogue.locale}/${name}`, page] as const,
  ),
);

/** Every text of a part of a catalogue, each with its path. */
function textsOf(part: unknown, path = 'pages'): readonly (readonly [string, string])[] {
  if (typeof part === 'string') return [[path, part]];
  assert.ok(typeof part === 'object' && part !== null, path);
  return Object.entries(part).flatMap(([key, value]) => textsOf(value, `${path}.${key}`));
}

const placeholdersOf = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].toSorted();

/** The same text in another language and in English. */
const SHARED_WORDS = new Set(['BSB', 'CLABE', 'Code', 'Error', 'IBAN', 'IFSC', 'Name']);

for (const { pages, locale } of CATALOGUES.slice(1))
  test(`texts in ${locale} differ from English ones, except for names that both languages share`, () => {
    const texts = new Map(textsOf(pages));
    const same = textsOf(EN.pages).filter(([path, text]) => texts.get(path) === text);
    const untranslated = same.map(([, text]) => text).filter((text) => !SHARED_WORDS.has(text));
    assert.deepEqual(untranslated, []);
  });

/** A catalogue in which every text is replaced by its own path in brackets, with its placeholders. */
function markedCatalogue(): Catalogue {
  const marked = (part: unknown, path: string): unknown => {
    if (typeof part === 'string') return `⟦${path} ${placeholdersOf(part).join(' ')}⟧`;
    if (Array.isArray(part)) return part.map((item, index) => marked(item, `${path}.${index}`));
    return Object.fromEntries(
      Object.entries(part as object).map(([key, value]) => [key, marked(value, `${path}.${key}`)]),
    );
  };
  return {
    ...EN,
    pages: marked(EN.pages, 'pages') as Catalogue['pages'],
    money: marked(EN.money, 'money') as Catalogue['money'],
  };
}

test('pages show texts of the catalogue and given values alone, and every text is used', () => {
  const pages = collectStates(markedCatalogue());
  const shown = Object.values(pages).join('\n');
  const texts = [...textsOf(EN.pages), ...textsOf(EN.money, 'money')];
  const unused = texts.filter(([path]) => !shown.includes(`⟦${path} `));
  assert.deepEqual(
    unused.map(([path]) => path),
    [],
  );
  for (const [name, page] of Object.entries(pages)) {
    let text = page.replace(/<style>[^]*?<\/style>/, '').replaceAll(/<[^>]*>/g, '\n');
    for (let before = ''; before !== text; ) {
      before = text;
      text = text.replaceAll(/⟦[^⟦⟧]*⟧/g, '');
    }
    const left = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /\p{L}{2}/u.test(line));
    for (const line of left) assert.match(line, GIVEN, `${name}: ${line}`);
  }
});

/** The values that the pages were given: names, amounts, moments, countries, parts of addresses and of numbers. */
const GIVEN =
  /^[:– ]*(Northwind Research Cooperative|Acme Pty Ltd|USDC|payments@northwind\.example|\+44 20 7946 0018|northwind\.example\/help|0x[0-9A-Fa-f]{40}|0x[0-9a-f]{64}|Jane Doe|Example Pay|Other Wallet|Ana Sofía Restrepo|Base|Field work in October, invoice 2026-118\.|Thank you!|PAY-[\d-]+|[\d,.]+ USDC|\d+ \w+ 2026 at [\d:]+ UTC|Philippine Peso \(PHP\)|(Switzerland|Germany|Austria|Australia|United States|United Kingdom|Liechtenstein|Bosnia & Herzegovina|Bosnia &amp; Herzegovina|India|Mexico|Canada|Japan)|[0-9A-Fa-fx]{2,4}|[A-Z]{2}[0-9]{2}|XMPL\w+|XMPL)$/;

test('neither the policy nor the markup of a page lets anything else be loaded or run', () => {
  assert.match(
    COLLECT_POLICY,
    /^default-src 'none'; style-src 'self' 'sha256-[^']+'; script-src 'self'; img-src data:; connect-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  for (const [name, page] of allPages) {
    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.ok(COLLECT_POLICY.includes(`'sha256-${hash}'`), name);
    assert.doesNotMatch(style, /url\(|@import|@font-face/);
    const markup = page.replace(style, '').replace(/ src="data:[^"]*"/, '');
    assert.doesNotMatch(markup, /\son\w+=|\sstyle=|<script(?! src="\/collect\/collect\.js" defer>)/, name);
    const withoutLinks = markup.replaceAll(LINK_AWAY, '');
    assert.doesNotMatch(withoutLinks, /https?:\/\/\w|target=|undefined|\[object|NaN/, name);
    for (const [, address] of withoutLinks.matchAll(/ (?:src|srcset|href|action|formaction)="([^"]*)"/g)) {
      assert.match(
        address ?? '',
        /^(\/collect\/[a-z.-]+|\/collect\/colour\/e8833a\.css|#[\w-]+|data:,|data:image\/svg\+xml,.*|mailto:payments@northwind\.example|tel:\+442079460018)$/,
        name,
      );
    }
  }
});

/** A link to another site: it opens beside the page, and that site learns nothing of it. */
const LINK_AWAY =
  /<a href="https:\/\/(?:northwind|explorer)\.example\/[\w/]*" target="_blank" rel="noreferrer noopener">/g;

test('the token is in hidden inputs of POST forms and nowhere else', () => {
  for (const [name, page] of allPages) {
    const hidden = page.match(new RegExp(`<input type="hidden" name="token" value="${TOKEN}">`, 'g')) ?? [];
    assert.equal(page.split(TOKEN).length - 1, hidden.length, name);
    for (const [form] of page.matchAll(/<form[^>]*>/g)) assert.match(form, / method="post"/, name);
  }
});

test('every page is a document in its language, with one main heading and no dangling ids', () => {
  for (const [name, page] of allPages) {
    assert.ok(page.startsWith(`<!doctype html>\n<html lang="${name.split('/')[0]}">`), name);
    assert.equal(page.match(/<h1[ >]/g)?.length, 1, name);
    assert.equal(page.match(/<main>/g)?.length, 1, name);
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, name);
    const referred = [...page.matchAll(/ (?:for|aria-describedby|aria-labelledby|href)="#?([^"/:]*)"/g)];
    for (const id of referred.flatMap(([, list]) => (list ?? '').split(' '))) {
      assert.ok(ids.includes(id), `${name}: ${id}`);
    }
    for (const [control] of page.matchAll(/<(?:input|select|textarea)(?![^>]*type="hidden")[^>]*>/g)) {
      const id = / id="([^"]*)"/.exec(control)?.[1];
      assert.ok(page.includes(`<label for="${id}"`) || page.includes(`for="${id}">`), `${name}: ${control}`);
    }
  }
});

test('a mistake is told in the title, in an alert with the focus, and beside its field', () => {
  for (const [name, page] of allPages) {
    const { errorPrefix } = catalogueOf(name.split('/')[0] ?? '').pages.common;
    const hasAlert = page.includes('role="alert" tabindex="-1" autofocus');
    assert.equal(page.includes(`<title>${errorPrefix}: `), hasAlert, name);
    assert.equal(page.includes('role="alert"'), hasAlert, name);
    assert.equal(/aria-invalid="true"|class="error"/.test(page), /<li><a href="#/.test(page), name);
  }
});

const HOSTILE = `"><img src=x onerror=alert(1)>'</p></form></bdi><script>alert(1)</script>&amp;{organisation}`;

/** The elements of a page with the names of their attributes. No given value may change them. */
function skeletonOf(page: string): readonly string[] {
  return [...page.matchAll(/<\/?[a-z][^>]*>/g)].map(([tag]) => tag.replaceAll(/="[^"]*"/g, ''));
}

/** Every page that shows given values, with one value for all of them. */
function pagesWith(value: string): readonly string[] {
  const facts = paymentFacts(EN, {
    organisation: { name: value, support: { email: 'help@northwind.example' } },
    amount: { text: value },
    token: value,
    walletToken: {
      symbol: value,
      contract: value,
      chainName: value,
      explorerUrl: 'https://explorer.example',
    },
  });
  const given = { type: 'wallet', chainId: 8453, address: value, name: value };
  const bank = { type: 'bank', name: value, country: 'DE', account: { iban: value, bic: value } };
  const emoney = { name: value, provider: value, idType: value, idValue: value };
  const view = { ...facts, email: value };
  const { expiresAt: _, ...receipt } = facts;
  return [
    destinationPage({
      ...facts,
      message: value,
      choices: [
        { type: 'wallet', amountText: value },
        { type: 'emoney', currency: value },
      ],
      given: { type: value, country: value },
    }),
    ...[given, bank, emoney].map((each, index) =>
      detailsPage({
        ...view,
        schema: recipientSchema([FACTS.wallet, FACTS.de, FACTS.emoney][index] ?? FACTS.wallet),
        given: each,
        errors: [
          { pointer: '/recipient/name', detail: value },
          { pointer: `/recipient/${value}`, detail: value },
        ],
      }),
    ),
    reviewPage({ ...view, schema: recipientSchema(FACTS.emoney), given: emoney }),
    reviewPage({
      ...view,
      schema: recipientSchema(FACTS.jp),
      given: { ...bank, account: { accountNumber: value } },
    }),
    receiptPage({
      ...receipt,
      destination: {
        type: 'emoney',
        name: value,
        provider: value,
        idType: 'PHONE',
        idValueLast4: value,
        currency: value,
        fingerprint: value,
      },
      submittedAt: new Date(0),
      delivery: { status: 'DELIVERED', paidAmountText: value, reference: value, txHash: value },
    }),
    gonePage({ catalogue: EN, kind: 'EXPIRED', organisation: { name: value } }),
  ];
}

test('a given value is shown as text and never as markup', () => {
  const harmless = pagesWith('Harmless');
  for (const [index, page] of pagesWith(HOSTILE).entries()) {
    assert.deepEqual(skeletonOf(page), skeletonOf(harmless[index] ?? ''));
    assert.ok(page.includes('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;'), `page ${index}`);
    assert.ok(page.includes('{organisation}'), `page ${index}: a value is never read as a placeholder`);
  }
});

test('a logo is shown only when the picture itself is in the page', () => {
  const withLogo = (logoDataUri: string) =>
    destinationPage({
      ...paymentFacts(EN, { organisation: { name: 'Northwind', logoDataUri } }),
      choices: [{ type: 'wallet', amountText: '1,250.50 USDC' }],
    });
  assert.match(
    withLogo('data:image/png;base64,iVBORw0KGgo='),
    /<header><picture><img src="data:image\/png;base64,iVBORw0KGgo=" alt="Northwind"><\/picture><\/header>/,
  );
  for (const uri of [
    'https://elsewhere.example/logo.png',
    'javascript:alert(1)',
    'data:text/html,x',
    '//x',
    '',
  ]) {
    assert.doesNotMatch(withLogo(uri), /<img/);
    assert.match(withLogo(uri), /<header><strong><bdi>Northwind<\/bdi><\/strong><\/header>/);
  }
});

test('a wallet address is shown in full with its checksum, in whatever case it was given', () => {
  const page = collectStates(EN)['review-wallet'] ?? '';
  const shown = /<p class="address">([^]*?)<\/p>/.exec(page)?.[1]?.replaceAll(/<[^>]*>/g, '');
  assert.equal(shown, '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045');
  assert.match(page, /<input type="checkbox" id="confirmed" name="confirmed" value="yes" required>/);
});

test('an IBAN and a CLABE are shown in groups, and copied without gaps', () => {
  for (const [name, number] of [
    ['mx', '000000000000000013'],
    ['li', 'LI4900000000000000000'],
  ] as const) {
    const [, groups] =
      /<span class="exact grouped">(.*?)<\/span><\/dd>/.exec(collectStates(EN)[`review-${name}`] ?? '') ?? [];
    assert.equal(groups?.split('</span><span>').length, Math.ceil(number.length / 4), name);
    assert.equal(groups?.replaceAll(/<[^>]*>/g, ''), number);
  }
});

test('an amount and its currency stay on one line', () => {
  for (const name of ['destination', 'details-jp'])
    assert.match(collectStates(EN)[name] ?? '', /<main>[^]*1,250\.50\u00a0USDC/, name);
});

const said = (name: string) => /role="alert"[^]*?<\/div>/.exec(collectStates(EN)[name] ?? '')?.[0] ?? '';

test('the text of a mistake tells which kind of mistake it is', () => {
  assert.match(said('details-wallet-mistyped'), /capital letters do not fit/);
  assert.match(said('details-wallet-forbidden'), /belongs to a token or another contract/);
  assert.match(said('details-de-mistyped'), /IBAN has a typing error/);
  assert.match(said('details-de-mistyped'), /BIC \(SWIFT code\) is not right yet/);
  assert.match(said('details-emoney-wrong'), /Phone number is not right yet/);
  assert.match(said('details-elsewhere'), /does not fit together/);
  assert.match(said('code-too-soon'), /in 1 second\./);
});

test('a code that has expired or has no attempts left cannot be entered', () => {
  for (const name of ['code-no-attempts', 'code-expired', 'code-no-more']) {
    assert.doesNotMatch(collectStates(EN)[name] ?? '', /id="code"/);
  }
  assert.doesNotMatch(collectStates(EN)['code-no-more'] ?? '', /<form/);
});

/** The names of the fields that a page marks as wrong. */
function markedIn(page: string): readonly string[] {
  const controls = page.match(/<(?:input|select|textarea)[^>]*aria-invalid="true"[^>]*>/g) ?? [];
  const groups = [...page.matchAll(/<fieldset class="field small wrong"[^]*?name="([^"]*)"/g)];
  return [
    ...controls.map((control) => / name="([^"]*)"/.exec(control)?.[1] ?? ''),
    ...groups.map(([, name]) => name ?? ''),
  ];
}

for (const [kind, facts] of Object.entries(FACTS))
  test(`of a form of ${kind} only the field with a mistake is marked`, () => {
    const schema = recipientSchema(facts);
    const { account = {}, ...given } = readExample(facts) as Record<string, object | undefined>;
    const broken: [name: string, given: unknown][] = [
      ...Object.keys(account).map((name): [string, unknown] => [
        `account.${name}`,
        { ...given, account: { ...account, [name]: '?' } },
      ]),
      ...Object.keys(given)
        .filter((name) => !['type', 'country', 'chainId', 'currency', 'custody'].includes(name))
        .map((name): [string, unknown] => [name, { ...given, account, [name]: '\u0007' }]),
    ];
    for (const [name, all] of broken) {
      const { account: nested, ...rest } = all as { account: object };
      const whole = Object.keys(nested).length === 0 ? rest : all;
      const page = detailsPage({
        ...paymentFacts(EN),
        schema,
        given: whole,
        errors: errorsOf(whole, facts),
      });
      assert.deepEqual(markedIn(page), [name === 'idValue' ? 'idValue.PHONE' : name], name);
    }
  });

test('the most usual of the destinations comes first, and a wallet says what arrives', () => {
  const page = collectStates(EN)['destination'] ?? '';
  const types = [...page.matchAll(/name="type" value="(\w+)"/g)].map(([, type]) => type);
  assert.deepEqual(types, ['bank', 'emoney', 'wallet']);
  for (const name of ['destination', 'review-wallet', 'receipt-wallet']) {
    const shown = collectStates(EN)[name] ?? '';
    assert.ok(shown.includes('Crypto wallet (USDC on Base)'), name);
    assert.ok(shown.includes('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'), name);
  }
  assert.doesNotMatch(collectStates(EN)['review-de'] ?? '', /0x8335/);
});

test('a payment to a wallet shows its transaction, with a link where there is an explorer', () => {
  const hash = `0x${'9f3c2a7b'.repeat(8)}`;
  const withExplorer = collectStates(EN)['receipt-wallet'] ?? '';
  assert.ok(withExplorer.includes(`<a href="https://explorer.example/tx/${hash}" target="_blank"`));
  const without = collectStates(EN)['receipt-wallet-plain'] ?? '';
  assert.ok(without.includes(hash));
  assert.doesNotMatch(without, /<a /);
});

test('a receipt can be looked at again until the payment is over, and says when that was', () => {
  const facts = Object.entries(collectStates(EN)).filter(([name]) => name.startsWith('receipt-'));
  for (const [name, page] of facts) {
    const isOpen = /pending|sent|late/.test(name);
    assert.equal(page.includes('Check again'), isOpen, name);
    assert.equal(/Expected by/.test(page), /sent|late/.test(name), name);
    assert.equal(page.includes('Keep your e-mail'), !/failed|returned/.test(name), name);
  }
  assert.match(
    collectStates(EN)['receipt-wallet'] ?? '',
    /Paid on<\/dt><dd><time datetime="2026-11-13T08:00:00/,
  );
  assert.match(collectStates(EN)['receipt-late'] ?? '', /longer than usual/);
  assert.doesNotMatch(collectStates(EN)['receipt-sent'] ?? '', /longer than usual/);
});

test('how long a payment takes is told in words', () => {
  const said = (min: string, max: string) =>
    /usually arrives (.*?) after/.exec(
      destinationPage({ ...paymentFacts(EN, { settlementTime: { min, max } }), choices: [] }),
    )?.[1];
  assert.equal(said('PT1M', 'P1D'), '1 minute to 1 day');
  assert.equal(said('PT2H30M', 'P3D'), '2 hours, 30 minutes to 3 days');
  assert.equal(said('P1D', 'P1D'), '1 day');
  assert.equal(said('PT0S', 'PT90S'), '90 seconds');
});

test('whoever is to be asked can be reached, at that address and at no other', () => {
  const receipt = collectStates(EN)['receipt-late'] ?? '';
  assert.match(
    receipt,
    /ask <a href="mailto:payments@northwind\.example">Northwind Research Cooperative<\/a>\./,
  );
  assert.match(receipt, /<p class="contact">.*mailto:.*tel:\+442079460018".*northwind\.example\/help/);
  for (const name of ['gone-expired', 'gone-superseded', 'code-no-more', 'review-too-many'])
    assert.match(collectStates(EN)[name] ?? '', /<p class="contact">/, name);
  for (const name of ['gone-unknown-anonymous', 'gone-unavailable', 'destination', 'code'])
    assert.doesNotMatch(collectStates(EN)[name] ?? '', /class="contact"/, name);
  const { expiresAt: _, ...facts } = paymentFacts(EN, {
    organisation: { name: 'Acme', support: { email: 'a?bcc=b%40c&d@acme.example' } },
  });
  const destination = {
    type: 'wallet',
    chainId: 1,
    address: `0x${'1'.repeat(40)}`,
    fingerprint: 'f',
  } as const;
  const delivery = { status: 'DELIVERED' } as const;
  const page = receiptPage({ ...facts, destination, delivery, submittedAt: new Date(0) });
  assert.ok(page.includes('href="mailto:a%3Fbcc%3Db%2540c%26d@acme.example"'));
});

test('every colour of an organisation can be read, in both schemes', () => {
  const channels = ['00', '40', '80', 'c0', 'ff'];
  const colours = channels.flatMap((red) =>
    channels.flatMap((green) => channels.map((blue): Colour => `#${red}${green}${blue}`)),
  );
  for (const colour of colours) {
    const schemes = colourStyle(colour).match(/:root\{[^}]*\}/g) ?? [];
    assert.equal(schemes.length, 2);
    for (const [index, style] of schemes.entries()) {
      const of = (name: string) => (new RegExp(`--${name}:(#\\w{6})`).exec(style)?.[1] ?? '') as Colour;
      assert.equal(of('button'), colour);
      const pairs = [
        [of('on-button'), of('button')],
        ...[
          of('tint'),
          ...(index === 0 ? (['#f2f4f7', '#ffffff'] as const) : (['#0e1318', '#171e26'] as const)),
        ].map((surface) => [of('accent'), surface] as const),
        [index === 0 ? '#17202b' : '#e8edf2', of('tint')],
      ] as const;
      for (const [ink, surface] of pairs)
        assert.ok(contrast(ink, surface) >= LEAST_CONTRAST, `${colour}: ${ink} on ${surface}`);
    }
  }
});
