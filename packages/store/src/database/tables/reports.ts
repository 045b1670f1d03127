// Written by packages/store/test/tableTypes.test.ts.
import type { Generated } from 'kysely';

/** The tables of `migrations/initial/reports.ts`. */
export type ReportsTables = {
  ledger_seals: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    sealed_to: Date;
  };
  report_reconciliation: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    report_id: string;
    making: number;
    first_row: number;
    reconciled: unknown;
  };
  reports: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    report_id: string;
    type: string;
    format: string;
    period_from: Date;
    period_to: Date;
    definition: unknown;
    status: 'PENDING' | 'COMPLETE' | 'FAILED';
    result: unknown;
    failure: unknown;
    tries: Generated<number>;
    made_by: string;
    created_at: Date;
    updated_at: Date;
  };
  token_names: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    address: string;
    symbol: string;
    decimals: number;
  };
};
