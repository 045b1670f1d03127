import { NATIVE_CURRENCY } from '@fairway/plan';
import type { Environment, Store, TokenName } from '@fairway/store';
import type { Corridors, ListedCorridor } from '../payments/index.ts';

/** What the use cases of reports need. */
export type ReportParts = {
  readonly environment: Environment;
  readonly reports: Store['reports'];
  readonly corridors: Pick<Corridors, 'find' | 'list'>;
  /** What the tokens of this process's corridors are called on their chains, as far as it was read. */
  tokenNames(): readonly TokenName[];
  /** The name of an organisation; undefined when there is none of this id. */
  organisationName(organisationId: string): Promise<string | undefined>;
  nowMs(): number;
};

/** Makes the parts of reports on payments. */
export function createReportParts(
  {
    environment,
    corridors,
    chains,
    nowMs,
  }: Pick<ReportParts, 'environment' | 'corridors' | 'nowMs'> & {
    readonly chains: ReadonlyMap<number, { readonly nativeSymbol: string }>;
  },
  store: Pick<Store, 'reports' | 'organisationName'>,
): ReportParts {
  const natives = [...chains].map(([chainId, { nativeSymbol: symbol }]) => ({
    ...{ chainId, address: NATIVE_CURRENCY, symbol, decimals: NATIVE_DECIMALS },
  }));
  return {
    ...{ environment, corridors, nowMs, reports: store.reports },
    organisationName: async (organisationId) => (await store.organisationName(organisationId)).name,
    tokenNames: () => [...tokenNamesOf(corridors.list('ALL')), ...natives],
  };
}

/** The decimals of every native currency: gas is counted in wei. */
const NATIVE_DECIMALS = 18;

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
