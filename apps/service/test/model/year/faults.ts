// Faults that are planted into what reports read, and how the comparison words what it finds.
import type { PeriodMovement, Store } from '@fairway/store';
import { MONTHS_MS } from './calendar.ts';
import type { Ask } from './desk.ts';

type Reports = Store['reports'];

/** A fault: in which type of report, what takes the place of operations, and what is found. */
export type PlantedFault = {
  readonly type: Exclude<Ask['type'], 'journal'>;
  plant(reports: Reports): Partial<Reports>;
  readonly finding: RegExp;
};

/** Changes the movements of each part of a report. */
function reading(
  change: (movements: readonly PeriodMovement[], toMs: number) => readonly PeriodMovement[],
): PlantedFault['plant'] {
  return ({ movementsOfPeriod }) => ({
    movementsOfPeriod: async (scope, part) => {
      const read = await movementsOfPeriod(scope, part);
      return { ...read, movements: change(read.movements, part.toMs) };
    },
  });
}

function isBorder(timeMs: number): boolean {
  return MONTHS_MS.slice(1, -1).includes(timeMs);
}

/** Faults by name. */
export const PLANTED_FAULTS: Readonly<Record<string, PlantedFault>> = {
  'a movement is in the file twice': {
    type: 'movements',
    plant: reading((movements) => movements.flatMap((each, index) => (index === 7 ? [each, each] : [each]))),
    finding: /is in the files twice/,
  },
  'what is taken back counts as more': {
    type: 'movements',
    plant: reading((movements) =>
      movements.map((each) => {
        const { reverses: _, ...movement } = each.movement;
        return each.movement.kind === 'PAYOUT' ? { ...each, movement } : each;
      }),
    ),
    finding: /the ledger of a plan|the rows add up to the ledger/,
  },
  'a movement of the last moment of a month is in no month': {
    type: 'movements',
    plant: reading((movements, toMs) =>
      movements.filter(({ bookedAtMs }) => !(isBorder(toMs) && bookedAtMs === toMs - 1)),
    ),
    finding: /movements: the totals of the months are the year's/,
  },
  'a movement of the first moment of a month is in the month before, too': {
    type: 'movements',
    plant: ({ movementsOfPeriod }) => ({
      movementsOfPeriod: (scope, { toMs, ...part }) =>
        movementsOfPeriod(scope, { ...part, toMs: isBorder(toMs) ? toMs + 1 : toMs }),
    }),
    finding: /is in another period/,
  },
  'returns are payouts in the totals': {
    type: 'movements',
    plant: ({ end }) => ({
      end: (scope, reportId, how, atMs) => {
        if (!('result' in how)) return end(scope, reportId, how, atMs);
        const controlTotals = how.result.controlTotals.map((total) =>
          total.kind === 'RETURN' ? { ...total, kind: 'PAYOUT' as const } : total,
        );
        return end(scope, reportId, { result: { ...how.result, controlTotals } }, atMs);
      },
    }),
    finding: /movements: the control totals are the ledger's/,
  },
  'an execution is left out': {
    type: 'execution-quality',
    plant: ({ executionsOfPeriod }) => ({
      executionsOfPeriod: async (scope, part) => {
        const read = await executionsOfPeriod(scope, part);
        return { ...read, executions: read.executions.slice(1) };
      },
    }),
    finding: /execution-quality: the totals of the months are the year's/,
  },
  'what was paid out in a month is told of the plan up to its end': {
    type: 'plans',
    plant: ({ plansOfPeriod }) => ({
      plansOfPeriod: async (scope, part) => {
        const read = await plansOfPeriod(scope, part);
        return { ...read, plans: read.plans.map((plan) => ({ ...plan, moved: plan.total })) };
      },
    }),
    finding: /plans: the totals of the months are the year's/,
  },
};
