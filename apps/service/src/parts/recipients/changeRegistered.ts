import type { PayeeCheck } from '@fairway/recipients';
import type { AskedChange, KeptRecipient } from '@fairway/store';
import { defined } from '@fairway/values';
import { contextOf, needsApproval, type PaymentParts } from '../payments/index.ts';
import { type Acting, done, invalidFields, type Outcome, refuse } from '@fairway/api';
import { RECIPIENT_ID } from './findRegistered.ts';
import { maskOf } from './keepRecipient.ts';
import { NO_SUCH_RECIPIENT, registeredRefused } from './registeredProblems.ts';
import type { RecipientEdit } from './registeredRequests.ts';

/** Changes the details of a registered recipient or what is kept beside them. */
export async function editRecipient(
  parts: PaymentParts,
  acting: Acting,
  recipientId: string,
  { recipient: given, label, metadata }: RecipientEdit,
): Promise<Outcome<KeptRecipient>> {
  const edit = { type: 'EDITED', ...defined({ label, metadata }) } as const;
  if (given === undefined) return change(parts, acting, recipientId, edit);
  const read = parts.corridors.readKept(given.plain);
  if (!read.ok) return refuse({ ...invalidFields(read.errors), code: 'recipient-invalid' });
  const full = read.recipient;
  const rules = await parts.organisationOf(acting.scope.organisationId);
  const details = {
    recipient: maskOf(parts, acting.scope, full),
    full,
    needsApproval: needsApproval(rules, full.type),
  };
  return change(parts, acting, recipientId, { ...edit, details });
}

/** Deactivates a recipient. */
export function deactivateRecipient(
  parts: PaymentParts,
  acting: Acting,
  recipientId: string,
): Promise<Outcome<KeptRecipient>> {
  return change(parts, acting, recipientId, { type: 'DEACTIVATED' });
}

/** Approves or rejects details that wait for approval: the decision of a second person about this version. */
export function judgeDetails(
  parts: PaymentParts,
  acting: Acting,
  recipientId: string,
  judgement: Extract<AskedChange, { type: 'APPROVED' | 'REJECTED' }>,
): Promise<Outcome<KeptRecipient>> {
  return change(parts, acting, recipientId, judgement);
}

/** Records a check of the present version. */
export function verifyRecipient(
  parts: PaymentParts,
  acting: Acting,
  recipientId: string,
  verification: PayeeCheck,
): Promise<Outcome<KeptRecipient>> {
  return change(parts, acting, recipientId, { type: 'VERIFIED', verification });
}

async function change(
  parts: PaymentParts,
  acting: Acting,
  recipientId: string,
  asked: AskedChange,
): Promise<Outcome<KeptRecipient>> {
  if (!RECIPIENT_ID.test(recipientId)) return refuse(NO_SUCH_RECIPIENT);
  const { recipients } = parts.store;
  const changed = await recipients.changeRecipient(
    acting.scope,
    recipientId,
    asked,
    contextOf(parts, acting),
  );
  return changed.ok
    ? done(changed.kept)
    : refuse(registeredRefused(changed, 'version' in asked ? asked.version : undefined));
}
