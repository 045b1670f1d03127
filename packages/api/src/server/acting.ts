import { defined, type Scope } from '@fairway/values';
import type { Call } from './registrar.ts';

/**
 * Who acts on whose records. `scope`: whose. `actor`: a credential's id, or a part of the service. `expectedRevisions`: the
 * revisions of the record that the request is meant for; absent: any.
 */
export type Acting = {
  readonly scope: Scope;
  readonly actor: string;
  readonly expectedRevisions?: readonly number[];
};

/**
 * The credential that sent a request, and the organisation and environment whose records it may use.
 *
 * @example
 * ```ts
 * import { actingOf, type Call } from '@fairway/api';
 *
 * declare const call: Call;
 * const { scope } = actingOf(call);
 * ```
 */
export function actingOf({ caller, expectedRevisions }: Call): Acting {
  const { organisationId, environment, credentialId } = caller;
  return {
    scope: { organisationId, environment },
    actor: credentialId,
    ...defined({ expectedRevisions }),
  };
}
