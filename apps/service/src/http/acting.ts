import type { Acting } from '../payments/paymentParts.ts';
import type { Call } from './registrar.ts';

/** In whose name a request is made, and whose plans it is about. */
export function actingOf({ caller }: Call): Acting {
  const { organisationId, environment, credentialId } = caller;
  return { scope: { organisationId, environment }, actor: credentialId };
}
