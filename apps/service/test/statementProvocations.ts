import { postOf } from './harness.ts';
import type { Ask, Provocations } from './provocation.ts';
import { camtOf } from './statementsHarness.ts';

/** A way to provoke each problem of statements and their entries. */
export function statementProvocations(ask: Ask): Provocations {
  const upload = (body: string) => {
    const headers = { 'content-type': 'application/xml' };
    return ask('/v1/reconciliation/statements', { method: 'POST', headers, body });
  };
  return {
    'statement-invalid': [
      {
        when: 'a statement is sent that is no XML',
        ask: () => upload('<nothing but text'),
        detail: /not well-formed/,
      },
    ],
    'match-mismatch': [
      {
        when: 'an entry is to be a movement that does not exist',
        ask: async () => {
          const { text } = await upload(camtOf({ bookings: [{ amount: '-1.00' }] }));
          const { statementId } = JSON.parse(text) as { statementId: string };
          const listed = await ask(`/v1/reconciliation/statements/${statementId}/entries`);
          const { data } = JSON.parse(listed.text) as { data: { entryId: string }[] };
          const allocations = [{ movementId: `mov_${'0'.repeat(40)}`, amount: '1' }];
          return ask(`/v1/reconciliation/entries/${data[0]?.entryId}/match`, postOf({ allocations }));
        },
        detail: /no such payout/,
      },
    ],
  };
}
