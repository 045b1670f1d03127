import type { Webhooks } from '@fairway/outbox';
import type { Store } from '@fairway/store';
import type { WebhookRule } from '@fairway/webhooks';

/** What the use cases of webhook endpoints need. `rule`: where webhooks may be sent; the sender uses the same rule. */
export type EndpointParts = {
  readonly webhooks: Webhooks;
  readonly fingerprint: Store['fingerprint'];
  readonly rule: WebhookRule;
  /** Whether there is a key to seal secrets with. */
  readonly canSeal: boolean;
  nowMs(): number;
};
