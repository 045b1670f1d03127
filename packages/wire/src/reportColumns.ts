import { LIMITS } from './fields.ts';

/** The kinds of reports. */
export const REPORT_TYPES = ['movements', 'execution-quality', 'plans', 'journal'] as const;
/** The columns of the report `movements`, in their usual order. */
export const MOVEMENT_COLUMNS = [
  'movementId',
  'kind',
  'reverses',
  'planId',
  'clientReference',
  'corridorId',
  'mode',
  'stepId',
  'stepType',
  'attempt',
  'direction',
  'status',
  'verification',
  'reason',
  'note',
  'chainId',
  'address',
  'symbol',
  'amount',
  'decimals',
  'amountDecimal',
  'currency',
  'paidAmount',
  'paidAmountDecimal',
  'feeCurrency',
  'feeAmount',
  'feeAmountDecimal',
  'expectedAmount',
  'driftAmount',
  'driftBps',
  'quotedRate',
  'realisedRate',
  'gasUsed',
  'gasCost',
  'txHash',
  'logIndex',
  'blockNumber',
  'blockTime',
  'providerReference',
  'endToEndId',
  'recipientId',
  'recipientMasked',
  'destinationType',
  'failureCode',
  'createdAt',
  'completedAt',
  'valueDate',
  'recordedAt',
] as const;
/** Columns of the report `movements` that change later: a file has them only where they are named. */
export const RECONCILIATION_COLUMNS = ['reconciliation', 'statementEntry'] as const;
/** A column of the report `movements`. */
export type MovementColumn = (typeof MOVEMENT_COLUMNS)[number] | (typeof RECONCILIATION_COLUMNS)[number];

/** The columns of the report `execution-quality`, in their usual order. */
export const EXECUTION_COLUMNS = [
  'executionId',
  'status',
  'reverses',
  'planId',
  'clientReference',
  'corridorId',
  'mode',
  'stepId',
  'attempt',
  'reason',
  'verification',
  'chainId',
  'tokenIn',
  'symbolIn',
  'amountIn',
  'amountInDecimal',
  'tokenOut',
  'symbolOut',
  'expectedAmount',
  'expectedAmountDecimal',
  'minimumAmount',
  'minimumAmountDecimal',
  'receivedAmount',
  'receivedAmountDecimal',
  'transferCount',
  'differenceAmount',
  'differenceAmountDecimal',
  'differenceBps',
  'marketAmount',
  'marketAmountDecimal',
  'marketMovedBps',
  'restBps',
  'aboveMinimumBps',
  'slippageBps',
  'priceImpactBps',
  'routeGapBps',
  'upperBoundAmount',
  'upperBoundAmountDecimal',
  'receivedToBoundBps',
  'quotedRate',
  'realisedRate',
  'quotedGasUnits',
  'quotedGasCost',
  'quotedGasBps',
  'gasUsed',
  'gasCost',
  'poolFeeAmount',
  'poolFeeAmountDecimal',
  'poolFeeAmountOut',
  'poolFeeAmountOutDecimal',
  'gasAmountOut',
  'gasAmountOutDecimal',
  'costCurrency',
  'quotedAt',
  'quotedBlock',
  'settledAt',
  'settledBlock',
  'blocksBetween',
  'txHash',
  'recordedAt',
] as const;
/** A column of the report `execution-quality`. */
export type ExecutionColumn = (typeof EXECUTION_COLUMNS)[number];

/** How far the money of a plan has come by its ledger, as the report `plans` says it. */
export const LEDGER_STATUSES = [
  'NOTHING',
  'DEPOSITED',
  'SWAPPED',
  'PAID_IN_PART',
  'PAID',
  'RETURNED',
  'REFUNDED',
] as const;
/** How far the money of a plan has come. */
export type LedgerStatus = (typeof LEDGER_STATUSES)[number];

/** The columns of the report `plans`, in their usual order. */
export const PLAN_COLUMNS = [
  'planId',
  'clientReference',
  'corridorId',
  'mode',
  'status',
  'chainId',
  'tokenIn',
  'symbolIn',
  'plannedAmountIn',
  'plannedAmountInDecimal',
  'depositedAmount',
  'depositedAmountDecimal',
  'swappedInAmount',
  'swappedInAmountDecimal',
  'refundedInAmount',
  'refundedInAmountDecimal',
  'tokenOut',
  'symbolOut',
  'expectedAmountOut',
  'expectedAmountOutDecimal',
  'swappedOutAmount',
  'swappedOutAmountDecimal',
  'paidOutAmount',
  'paidOutAmountDecimal',
  'returnedAmount',
  'returnedAmountDecimal',
  'refundedOutAmount',
  'refundedOutAmountDecimal',
  'deductedAmount',
  'deductedAmountDecimal',
  'otherMovements',
  'createdAt',
  'depositedAt',
  'swappedAt',
  'paidAt',
  'depositSeconds',
  'swapSeconds',
  'payoutSeconds',
  'totalSeconds',
  'recordedAt',
] as const;
/** A column of the report `plans`. */
export type PlanColumn = (typeof PLAN_COLUMNS)[number];

/** What each line of a journal is booked to. */
export const ACCOUNT_ROLES = [
  'funding',
  'inTransit',
  'custodian',
  'payee',
  'fees',
  'gas',
  'rounding',
  'fx',
] as const;
/** What a line of a journal is booked to. */
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

/** The columns of the report `journal`, in their usual order. */
export const JOURNAL_COLUMNS = [
  'entryNumber',
  'line',
  'postingDate',
  'account',
  'accountRole',
  'description',
  'currency',
  'debit',
  'credit',
  'amount',
  'amountDecimal',
  'chainId',
  'address',
  'decimals',
  'kind',
  'status',
  'movementId',
  'reverses',
  'planId',
  'clientReference',
  'corridorId',
  'recipientId',
  'recipientMasked',
  'endToEndId',
  'providerReference',
  'txHash',
  'recordedAt',
] as const;
/** A column of the report `journal`. */
export type JournalColumn = (typeof JOURNAL_COLUMNS)[number];

type ReportType = (typeof REPORT_TYPES)[number];

/** The columns that each report has where none are named, in their usual order. */
export const REPORT_COLUMNS: Readonly<Record<ReportType, readonly string[]>> = {
  movements: MOVEMENT_COLUMNS,
  'execution-quality': EXECUTION_COLUMNS,
  plans: PLAN_COLUMNS,
  journal: JOURNAL_COLUMNS,
};
/** The columns that can be named for each report. */
export const NAMEABLE_COLUMNS: typeof REPORT_COLUMNS = {
  ...REPORT_COLUMNS,
  movements: [...MOVEMENT_COLUMNS, ...RECONCILIATION_COLUMNS],
};
/** All columns that can be named, but those of metadata. */
export const ALL_COLUMNS: readonly string[] = [...new Set(Object.values(NAMEABLE_COLUMNS).flat())];

/** Sets of columns that can be asked for by name. `full`: those that a report has where none are named. */
export const COLUMN_SETS = ['full', 'finance'] as const;

/** The columns that a person reads, with the id of each row at the end. */
const FINANCE_COLUMNS = {
  movements: [
    ...(['valueDate', 'kind', 'status', 'clientReference', 'recipientMasked', 'symbol'] as const),
    ...(['amountDecimal', 'currency', 'paidAmountDecimal'] as const),
    ...(['feeCurrency', 'feeAmountDecimal', 'providerReference', 'endToEndId', 'movementId'] as const),
  ] satisfies readonly MovementColumn[],
  'execution-quality': [
    ...(['settledAt', 'clientReference', 'symbolIn', 'amountInDecimal', 'symbolOut'] as const),
    ...(['receivedAmountDecimal', 'realisedRate', 'differenceBps', 'poolFeeAmountOutDecimal'] as const),
    ...(['gasAmountOutDecimal', 'costCurrency', 'txHash', 'executionId'] as const),
  ] satisfies readonly ExecutionColumn[],
  plans: [
    ...(['createdAt', 'clientReference', 'corridorId', 'status', 'symbolIn'] as const),
    ...(['depositedAmountDecimal', 'symbolOut', 'swappedOutAmountDecimal', 'paidOutAmountDecimal'] as const),
    ...(['returnedAmountDecimal', 'deductedAmountDecimal', 'paidAt', 'planId'] as const),
  ] satisfies readonly PlanColumn[],
  journal: [
    ...(['postingDate', 'entryNumber', 'account', 'description', 'debit', 'credit'] as const),
    ...(['currency', 'kind', 'clientReference', 'recipientMasked'] as const),
    ...(['endToEndId', 'providerReference', 'movementId'] as const),
  ] satisfies readonly JournalColumn[],
} as const;

/** The columns of each set, by the type of report. */
export const COLUMNS_OF_SET: Readonly<
  Record<(typeof COLUMN_SETS)[number], Readonly<Record<ReportType, readonly string[]>>>
> = { full: REPORT_COLUMNS, finance: FINANCE_COLUMNS };

/** The form of a column that shows what a plan's metadata has under a name. */
export const METADATA_COLUMN_PATTERN = `^metadata\\..{1,${LIMITS.metadata.nameLength}}$`;
