import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueOf, CATALOGUES } from './index.ts';

/** Every text of a catalogue, each with its path. A catalogue has no functions and no numbers. */
function textsOf(part: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof part === 'string') return [[path, part]];
  assert.ok(typeof part === 'object' && part !== null, `${path} is neither a text nor a group of texts`);
  return Object.entries(part).flatMap(([name, member]) => textsOf(member, `${path}/${name}`));
}

function placeholdersOf(text: string): readonly string[] {
  return [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
}

const [english] = CATALOGUES;
const expected = new Map(textsOf(english));

test('languages are listed once, English first', () => {
  assert.equal(english.locale, 'en');
  assert.equal(new Set(CATALOGUES.map(({ locale }) => locale)).size, CATALOGUES.length);
});

for (const catalogue of CATALOGUES) {
  const texts = textsOf(catalogue);

  test(`the catalogue ${catalogue.locale} has the same texts as English`, () => {
    assert.deepEqual(texts.map(([path]) => path).sort(), [...expected.keys()].sort());
    assert.deepEqual(
      texts.filter(([, text]) => text.trim() === '' || text !== text.trim()),
      [],
    );
  });

  test(`the texts of ${catalogue.locale} have the placeholders of English and no other braces`, () => {
    for (const [path, text] of texts) {
      assert.deepEqual(placeholdersOf(text), placeholdersOf(expected.get(path) ?? ''), path);
      assert.doesNotMatch(text.replace(/\{\w+\}/g, ''), /[{}]/, path);
    }
  });

  test(`the tags of ${catalogue.locale} are canonical, and Node knows their formats`, () => {
    assert.deepEqual(Intl.getCanonicalLocales(catalogue.locale), [catalogue.locale]);
    assert.deepEqual(Intl.NumberFormat.supportedLocalesOf(catalogue.language.formats), [
      catalogue.language.formats,
    ]);
  });
}

test('subjects name the organisation and nothing else', () => {
  for (const catalogue of CATALOGUES) {
    const subjects = textsOf(catalogue.mail).filter(([path]) => path.endsWith('/subject'));
    assert.ok(subjects.length >= 8);
    for (const [path, text] of subjects) assert.deepEqual(placeholdersOf(text), ['{organisation}'], path);
  }
});

const MATCHES: [tag: string, locale: string][] = [
  ['en', 'en'],
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['de-Latn-CH', 'de'],
  ['en-US', 'en'],
  ['pt-BR', 'en'],
  ['deu', 'en'],
  ['es', 'es'],
  ['es-419', 'es'],
  ['', 'en'],
  ['__proto__', 'en'],
];
for (const [tag, locale] of MATCHES) {
  test(`a recipient with the language tag ${JSON.stringify(tag)} reads ${locale}`, () =>
    assert.equal(catalogueOf(tag).locale, locale));
}

test('of several tags the first counts whose language there is', () => {
  assert.equal(catalogueOf('fr-CH', 'es-MX', 'de').locale, 'es');
  assert.equal(catalogueOf('fr', 'en-GB', 'de').locale, 'en');
  assert.equal(catalogueOf('fr', 'it').locale, 'en');
  assert.equal(catalogueOf().locale, 'en');
});
