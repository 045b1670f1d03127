// Four eyes: several people act in any order, and plans are made of details that two of them have seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import {
  decideRegistered,
  type MaskedRecipient,
  newRegistered,
  type RecipientId,
  type RegisteredChange,
  type RegisteredRecipient,
} from '../index.ts';

const PEOPLE = ['anna', 'bert', 'cleo'] as const;
const ID = `rcp_${'0'.repeat(32)}` as RecipientId;
const detailed = (fingerprint: string): MaskedRecipient => ({
  ...{ type: 'email', email: 'j***@example.com' },
  fingerprint,
});

/** Something that somebody does. `about`: how far before the present version the one is that is decided about. */
const act = fc.record({
  by: fc.constantFrom(...PEOPLE),
  what: fc.constantFrom('DETAILS', 'APPROVED', 'REJECTED', 'APPROVED', 'LABEL', 'CHECK', 'DEACTIVATED'),
  details: fc.constantFrom('d1', 'd2', 'd3'),
  about: fc.constantFrom(0, 0, 0, 1),
  needsApproval: fc.constantFrom(true, true, true, false),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** What an onlooker writes down of each version: its details, who set them, and who else agreed. */
type Noted = { readonly details: string; readonly setBy: string; readonly isFree: boolean; agreed: boolean };

function changeOf(
  registered: RegisteredRecipient,
  version: number,
  { by, what, details, about, needsApproval }: Act,
) {
  const changes: Record<Act['what'], RegisteredChange> = {
    DETAILS: {
      type: 'EDITED',
      details: {
        recipient: detailed(details),
        isSame: registered.recipient.fingerprint === details,
        ...{ by, needsApproval, version },
      },
    },
    LABEL: { type: 'EDITED', label: details },
    CHECK: {
      type: 'VERIFIED',
      verification: { provider: by, result: 'MATCH', checkedAtMs: 1, reference: details },
    },
    APPROVED: { type: 'APPROVED', by, version: registered.version - about },
    REJECTED: { type: 'REJECTED', by, version: registered.version - about },
    DEACTIVATED: { type: 'DEACTIVATED' },
  };
  return changes[what];
}

test('no order of what people do makes details usable that their maker alone has seen', () => {
  let approvals = 0;
  let own = 0;
  let restored = 0;
  const start = fc.record({ by: fc.constantFrom(...PEOPLE), needsApproval: fc.boolean() });
  const property = fc.property(start, fc.array(act, { maxLength: 30 }), (first, acts) => {
    const noted: Noted[] = [{ details: 'd1', setBy: first.by, isFree: !first.needsApproval, agreed: false }];
    let registered = newRegistered({ recipientId: ID, metadata: {}, recipient: detailed('d1') }, first, 1);
    for (const [index, each] of acts.entries()) {
      const before = registered;
      const change = changeOf(registered, noted.length + 1, each);
      const decision = decideRegistered(registered, change, index + 2);
      const present = noted[before.version - 1] ?? assert.fail();
      if (!decision.ok) {
        if (decision.reason === 'OWN_DETAILS') {
          assert.equal(present.setBy, each.by);
          own += 1;
        }
      } else {
        registered = decision.registered;
        if (decision.outcome === 'CHANGED' && registered.version > noted.length)
          noted.push({ details: each.details, setBy: each.by, isFree: !each.needsApproval, agreed: false });
        if (decision.outcome === 'CHANGED' && (change.type === 'APPROVED' || change.type === 'REJECTED'))
          assert.equal(change.version, before.version, 'another version was decided about');
        if (decision.outcome === 'CHANGED' && change.type === 'APPROVED') {
          assert.notEqual(present.setBy, each.by, 'the maker has approved');
          present.agreed = true;
          approvals += 1;
        }
        if (decision.outcome === 'CHANGED' && change.type === 'REJECTED') {
          assert.notEqual(present.setBy, each.by, 'the maker has rejected');
          if (before.standing !== undefined) {
            restored += 1;
            assert.deepEqual(
              [registered.version, registered.recipient, registered.detailsBy, registered.status],
              [before.standing.version, before.standing.recipient, before.standing.detailsBy, 'ACTIVE'],
            );
          }
        }
      }
      const now = noted[registered.version - 1] ?? assert.fail();
      assert.equal(
        registered.recipient.fingerprint,
        now.details,
        'a version means one set of details, for ever',
      );
      if (registered.status === 'ACTIVE')
        assert.ok(
          now.isFree || now.agreed,
          `version ${registered.version} is usable without a second person`,
        );
    }
  });
  fc.assert(property, { seed, numRuns: runs(2_000) });
  assert.ok(
    approvals > 100 && own > 100 && restored > 20,
    `${approvals} ${own} ${restored}: too few happened`,
  );
});
