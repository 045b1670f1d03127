import type { Webhooks } from '@fairway/outbox';
import type { Call } from '@fairway/api';
import type { WebhookRule } from '@fairway/webhooks';
import type { Catalogue } from './catalogue.ts';

/** What was done to an endpoint. */
export type EndpointChangeName = 'CREATED' | 'EDITED' | 'DELETED' | 'ENABLED' | 'SECRET_ROTATED';

/**
 * What the use cases of webhook endpoints need. `rule`: where webhooks may be sent; the sender uses the same rule.
 * `fingerprint`: a keyed hash of a request, to compare it with a later one of the same reference.
 */
export type EndpointParts = {
  readonly webhooks: Webhooks;
  fingerprint(purpose: 'request', organisationId: string, text: string): Buffer;
  readonly catalogue: Catalogue;
  readonly rule: WebhookRule;
  /** Whether there is a key to seal secrets with. */
  readonly canSeal: boolean;
  /** Told of each change that somebody made. */
  onChanged(caller: Call['caller'], change: EndpointChangeName, endpointId: string): void;
  nowMs(): number;
};
