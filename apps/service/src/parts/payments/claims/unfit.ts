import type { Step } from '@fairway/plan';
import type { FieldError, REPORT_OUTCOMES } from '@fairway/wire';
import { invalidFields, refuse } from '@fairway/api';
import type { StepReport } from '../stepReport.ts';

/** What a report on each kind of step can say. */
const OUTCOMES = {
  AWAIT_DEPOSIT: ['DONE'],
  EXECUTE_SWAP: ['SUBMITTED', 'DONE', 'FAILED'],
  CUSTODIAN_PAYOUT: ['DONE', 'FAILED', 'RETURNED', 'HELD'],
  SEND_DIGITAL_COLLECT: ['DONE', 'SENT', 'FAILED', 'RETURNED', 'HELD'],
} as const satisfies Record<Step['type'], readonly (typeof REPORT_OUTCOMES)[number][]>;

/**
 * The problem of a report that lacks a field the step needs, or has one that the step does not take. `told`: what the report
 * is about, for the error text.
 */
export function unfit(
  step: Step,
  { outcome, ...given }: Omit<StepReport, 'outcome'> & { readonly outcome: string },
  needed: readonly (keyof StepReport)[],
  unused: readonly (keyof StepReport)[],
  told: string = step.type,
): { readonly ok: false; readonly problem: ReturnType<typeof invalidFields> } | undefined {
  const errors: FieldError[] = [];
  const outcomes: readonly string[] = OUTCOMES[step.type];
  if (!outcomes.includes(outcome)) {
    const detail = `outcome must be ${outcomes.join(' or ')} for a step of the kind ${step.type}; given ${outcome}.`;
    errors.push({ pointer: '/outcome', detail });
  }
  const said = [`outcome ${outcome}`, ...(given.failure === undefined ? [] : [`code ${given.failure.code}`])];
  for (const name of needed) {
    if ((given as Partial<StepReport>)[name] !== undefined) continue;
    errors.push({
      pointer: `/${name}`,
      detail: `${name} is missing; ${step.type} needs it with ${said.join(' and ')}.`,
    });
  }
  for (const name of unused) {
    if ((given as Partial<StepReport>)[name] === undefined) continue;
    errors.push({ pointer: `/${name}`, detail: `${name} says nothing of ${told}; leave it out.` });
  }
  return errors.length === 0 ? undefined : refuse(invalidFields(errors));
}
