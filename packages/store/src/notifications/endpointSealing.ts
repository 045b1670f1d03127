import type { EndpointSealing } from '@fairway/outbox';
import { endpointPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '@fairway/keys';

/** Seals the secrets of webhook endpoints with the keys of the store. */
export function endpointSealing({ seal, unseal }: Sealing): EndpointSealing {
  return {
    seal: (organisationId, endpointId, text) => seal(endpointPlace(organisationId, endpointId), text),
    open: (organisationId, endpointId, sealed) => unseal(endpointPlace(organisationId, endpointId), sealed),
  };
}
