import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type RecipientFacts, recipientSchema } from '@fairway/recipients';
import { bankFacts } from './ibanCountries.ts';
import { createRecipientReader } from './reader.ts';

const read = createRecipientReader({ forbidden: () => undefined });

/** Values that are wrong in most fields: none, other types, too short, too long, mistyped, and on two lines. */
const WRONG_VALUES = [
  undefined,
  7,
  null,
  [],
  {},
  '',
  '?',
  '0'.repeat(300),
  '000000000000000014',
  'a@b',
  'a\nb',
];
const UNKNOWN_NAMES = ['nam', 'accountNumbr', 'ibam', '__proto__', '4000 1234'];

type Members = { readonly [name: string]: unknown };

/** A copy with another value for one member, or without the member when there is no value. */
function changed(members: Members, name: string, value?: unknown): Members {
  const others = Object.entries(members).filter(([key]) => key !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

/** The example of a kind of recipient with every mistake in every field, one at a time. */
function mistakes(facts: RecipientFacts): readonly Members[] {
  const example = recipientSchema(facts).examples[0] as Members;
  const account = example['account'] as Members | undefined;
  const spoilt = (members: Members) => [
    ...Object.keys(members).flatMap((name) => WRONG_VALUES.map((value) => changed(members, name, value))),
    ...UNKNOWN_NAMES.map((name) => changed(members, name, 'x')),
  ];
  const inAccount =
    account === undefined ? [] : spoilt(account).map((each) => changed(example, 'account', each));
  return [...spoilt(example), ...inAccount];
}

function sentencesOf(facts: RecipientFacts): string {
  const readings = mistakes(facts).map((given) => read(given, [facts]));
  return JSON.stringify(readings);
}

/** The SHA-256 of the reader's answers to the mistakes above, for each kind of recipient. */
const ANSWERS: readonly (readonly [facts: RecipientFacts, hash: string])[] = [
  [bankFacts('AU'), '3819a03e9440baad1a5992ac556d03142dbb01d509ffdcf06ef5b4ba98cfa615'],
  [bankFacts('US'), 'd965f4e7cf185d5789c574cda154135d3e8daebeaeaea1862c5a89683e3ec0dd'],
  [bankFacts('GB'), '692bc21b8e76b52138a8dd73f6ed3401929168c479f2c7eef9ecfd0a60f8d25c'],
  [bankFacts('IN'), 'd0c8294f62b9645e5240098abdc9959fc5e94afc163e6ba9df68e1e54bb3c391'],
  [bankFacts('MX'), 'd7e9c7433847ef8a851b4bab4ba22a6adc1e4618482408edd398d3b88111c255'],
  [bankFacts('CA'), 'c0b9a5a0d4cc3e32390d22de35699d193a570624f7fb3a2fb683ac03cd6b1b50'],
  [bankFacts('DE'), 'c56d0639e4d8c4892c68837386de71f9516fc65ae77e38ffa1774165581f59b1'],
  [bankFacts('CH'), '5b830455223a3d8d8c826729d7be23547a91395e2329f96901c97ec209609363'],
  [bankFacts('SG'), '1321c84ce5c00d45a5ae78c14695c4464612b075179af6e4d84ddc8a87bf9986'],
  [{ type: 'wallet', chainId: 31337 }, 'cbdb2307be7f2b733f5af5e5ee87a2111af6d954ea03e9874ef28c2bfc979fa5'],
  [{ type: 'emoney', currency: 'PHP' }, '1a44447b1f06a42aa59409c1834c797c7519c1fb14ada40fb1310dd1c8a6bcf2'],
  [{ type: 'email' }, 'd990aa194da63bc4db182a8c4bbe4532d176d053e8f3bd9b4e8891ca1d977aea'],
];

for (const [facts, hash] of ANSWERS) {
  test(`the sentences about mistakes have not changed: ${Object.values(facts).join(' ')}`, () => {
    assert.equal(createHash('sha256').update(sentencesOf(facts)).digest('hex'), hash);
  });
}

test('which countries use an IBAN has not changed', () => {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const countries = letters.flatMap((first) => letters.map((second) => `${first}${second}`));
  const withIban = countries.filter((country) => bankFacts(country).usesIban);
  assert.equal(
    withIban.join(' '),
    'AD AE AL AT AX AZ BA BE BG BH BI BL BR BY CH CR CY CZ DE DJ DK DO EE EG ES FI FK FO FR GB GE GF GI GL GP GR GT HN HR HU IE IL IQ IS IT JO KW KZ LB LC LI LT LU LV LY MC MD ME MF MK MN MQ MR MT MU NC NI NL NO OM PF PK PL PM PS PT QA RE RO RS RU SA SC SD SE SI SK SM SO ST SV TF TL TN TR UA VA VG WF XK YE YT',
  );
});
