import type { Door } from '@fairway/api';
import type { AuditPort } from '../../../platform/audit/facts.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { registerCorridors } from './corridors.ts';
import { registerPlans } from './plans.ts';
import { registerSteps } from './steps.ts';

/** Registers corridors, payment plans and the reports on their steps. */
export function registerPayments(
  { registrar }: Door,
  parts: PaymentParts,
  { publicUrl, audit }: { publicUrl(): string; readonly audit: AuditPort },
): void {
  registerCorridors(registrar, parts.corridors, publicUrl);
  registerPlans(registrar, parts, audit);
  registerSteps(registrar, parts);
}
