import { defined } from '@fairway/plan';
import type { Acting } from '../payments/paymentParts.ts';
import type { Call } from './registrar.ts';

/** The credential that sent a request, and the organisation and environment whose plans it may use. */
export function actingOf({ caller, expectedRevisions }: Call): Acting {
  const { organisationId, environment, credentialId } = caller;
  return {
    scope: { organisationId, environment },
    actor: credentialId,
    ...defined({ expectedRevisions }),
  };
}
