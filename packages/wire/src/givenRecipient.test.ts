import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BankAccountDetails, GIVEN_VARIANTS } from './givenRecipient.ts';
import { type RecipientFacts, recipientSchema } from './recipients.ts';

type Described = {
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[] | undefined;
};
type Bounds = { readonly minLength?: number; readonly maxLength?: number };

const { BankRecipient, WalletRecipient, EmoneyRecipient, EmailRecipient } = GIVEN_VARIANTS;
const KINDS: readonly (readonly [RecipientFacts, Described])[] = [
  ...['AU', 'CA', 'GB', 'IN', 'MX', 'US', 'SG'].map(
    (country) => [{ type: 'bank', country, usesIban: false }, BankRecipient] as const,
  ),
  [{ type: 'bank', country: 'DE', usesIban: true }, BankRecipient],
  [{ type: 'wallet', chainId: 1 }, WalletRecipient],
  [{ type: 'emoney', currency: 'PHP' }, EmoneyRecipient],
  [{ type: 'email' }, EmailRecipient],
];

/** Asserts that whatever the finer schema allows is allowed. */
function assertWider(wide: Described, fine: Described): void {
  for (const [name, finer] of Object.entries(fine.properties)) {
    const member: Bounds = wide.properties[name] ?? assert.fail(`${name} is not described`);
    const { minLength = 1, maxLength }: Bounds = finer;
    assert.ok((member.minLength ?? 0) <= minLength, name);
    if (member.maxLength !== undefined) assert.ok(member.maxLength >= (maxLength ?? 0), name);
  }
  for (const name of wide.required ?? []) assert.ok(fine.required?.includes(name), name);
}

test('the description of a recipient allows what the schema of each kind allows', () => {
  for (const [facts, described] of KINDS) {
    const fine = recipientSchema(facts) as Described & { properties: { account?: Described } };
    assertWider(described, fine);
    const { account } = fine.properties;
    if (account !== undefined) assertWider(BankAccountDetails, account);
  }
});
