import { defined } from '@fairway/values';
import type { AuditFact } from '../../platform/audit/facts.ts';
import type { Call, Outcome } from '@fairway/api';

/** The form of ids of registered recipients that the service gives. */
const REGISTERED_ID = /^rcp_[0-9a-f]{32}$/;

/** The fact that the full details of a registered recipient were revealed, or not. */
export function registeredRevealOf(
  { caller, params }: Call,
  revealed: Outcome<{ readonly recipientId: string }>,
): AuditFact {
  const { credentialId, organisationId } = caller;
  const { recipientId = '' } = params;
  if (revealed.ok) return { event: 'REVEAL_GRANTED', recipientId, credentialId, organisationId };
  return {
    ...{ event: 'REVEAL_REFUSED', reason: revealed.problem.code, credentialId, organisationId },
    ...defined({ recipientId: REGISTERED_ID.test(recipientId) ? recipientId : undefined }),
  };
}

/** The fact that a recipient was erased, or not. */
export function erasureOf({ caller, params }: Call, erased: Outcome<unknown>): AuditFact {
  const { credentialId, organisationId } = caller;
  const { recipientId = '' } = params;
  const who = { credentialId, organisationId };
  if (erased.ok) return { event: 'ERASURE_GRANTED', recipientId, ...who };
  return {
    ...{ event: 'ERASURE_REFUSED', reason: erased.problem.code, ...who },
    ...defined({ recipientId: REGISTERED_ID.test(recipientId) ? recipientId : undefined }),
  };
}
