import { defined } from '@fairway/values';
import type { AuditFact } from '../../platform/audit/facts.ts';
import type { Call, Outcome } from '@fairway/api';

/** The form of ids of plans that the service gives. */
const PLAN_ID = /^plan_[0-9a-f]{32}$/;

/** The fact that the full details of a recipient were revealed, or not. */
export function revealOf(
  { caller, params }: Call,
  revealed: Outcome<{ readonly planId: string }>,
): AuditFact {
  const { credentialId, organisationId } = caller;
  if (revealed.ok)
    return { event: 'REVEAL_GRANTED', planId: revealed.value.planId, credentialId, organisationId };
  const { planId = '' } = params;
  return {
    ...{ event: 'REVEAL_REFUSED', reason: revealed.problem.code, credentialId, organisationId },
    ...defined({ planId: PLAN_ID.test(planId) ? planId : undefined }),
  };
}
