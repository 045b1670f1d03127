import type { Environment, Store, TokenName } from '@fairway/store';
import type { Corridors, ListedCorridor } from '../payments/corridors.ts';

/** What the use cases of reports need. */
export type ReportParts = {
  readonly environment: Environment;
  readonly reports: Store['reports'];
  readonly corridors: Pick<Corridors, 'find' | 'list'>;
  /** What the tokens of this process's corridors are called on their chains, as far as it was read. */
  tokenNames(): readonly TokenName[];
  nowMs(): number;
};

/** Makes the parts of reports on payments. */
export function createReportParts(
  { environment, corridors, nowMs }: Pick<ReportParts, 'environment' | 'corridors' | 'nowMs'>,
  reports: ReportParts['reports'],
): ReportParts {
  return { environment, reports, corridors, tokenNames: () => tokenNamesOf(corridors.list('ALL')), nowMs };
}

/** What the tokens of corridors are called. */
function tokenNamesOf(corridors: readonly ListedCorridor[]): readonly TokenName[] {
  const names = corridors.flatMap(({ corridor: { source, target }, sourceToken, targetToken }) => [
    {
      chainId: source.chainId,
      address: source.token,
      symbol: sourceToken.symbol,
      decimals: sourceToken.decimals,
    },
    {
      chainId: target.chainId,
      address: target.token,
      symbol: targetToken.symbol,
      decimals: targetToken.decimals,
    },
  ]);
  return [...new Map(names.map((name) => [`${name.chainId} ${name.address}`, name])).values()];
}
