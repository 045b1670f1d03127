import { documentFaults } from './documentFaults.ts';
import { PolicyDocument } from './schema.ts';

/** How much of a token may be spent within a time, or how often. */
export type WindowLimit = {
  /** What is counted together: all spendings of the token on the chain, or those of each relayer or recipient. */
  readonly each: 'ALL' | 'RELAYER' | 'RECIPIENT';
  readonly windowSeconds: number;
  readonly most?: bigint;
  readonly mostCount?: number;
};

/** What one execution may spend of a token, and what several may within a time. */
export type SpendPolicy = { readonly most: bigint; readonly limits: readonly WindowLimit[] };

/** A token that may be received, and spent where it says so. */
export type TokenPolicy = { readonly address: string; readonly spend?: SpendPolicy };

/** A corridor of payments, as the operator knows it: what is swapped, and where the money goes. */
export type CorridorPolicy = {
  readonly corridorId: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly settlementAddress: string;
};

/** A relayer that another one fills up with native currency. */
export type TopUpPolicy = {
  readonly from: string;
  readonly to: string;
  /** With less than this it is filled up. */
  readonly belowWei: bigint;
  readonly amountWei: bigint;
  readonly windowSeconds: number;
  readonly mostCount: number;
};

type ChainEntry = PolicyDocument['chains'][number];

/** The keys that a policy has in another form than its document. */
type ReadKey =
  | 'routers'
  | 'tokens'
  | 'corridors'
  | 'recipients'
  | 'simulation'
  | 'mostGas'
  | 'keepWei'
  | 'topUps';

/** What may be signed on one chain: the keys of the document, read. Addresses in lower case. */
export type ChainPolicy = Readonly<Omit<ChainEntry, ReadKey>> & {
  /** They may be called, and approved for exactly what a call takes. */
  readonly routers: readonly string[];
  readonly tokens: readonly TokenPolicy[];
  readonly corridors: readonly CorridorPolicy[];
  readonly recipients: 'ANY' | readonly string[];
  readonly isSimulationDemanded: boolean;
  readonly mostGas: bigint;
  /** What has to be left of the relayer's native currency. */
  readonly keepWei: bigint;
  readonly topUps: readonly TopUpPolicy[];
};

/** Typed data that may be signed. */
export type TypedDataRule = {
  readonly chainId: number;
  readonly verifyingContract: string;
  readonly primaryType: string;
};

/** What may be signed. Nothing else may. */
export type Policy = {
  readonly chains: readonly ChainPolicy[];
  readonly typedData: readonly TypedDataRule[];
  readonly areMessagesAllowed: boolean;
};

/** A policy, or what is wrong with its document: each line names a field and says what to give. */
export type ReadPolicy =
  | { readonly ok: true; readonly policy: Policy }
  | { readonly ok: false; readonly faults: readonly string[] };

/**
 * Reads a policy document: the value of its JSON.
 *
 * @example
 * ```ts
 * import { readPolicy } from '@fairway/policies';
 *
 * const read = readPolicy({ chains: [] });
 * const text = read.ok ? 'allows nothing' : read.faults.join('\n'); // 'allows nothing'
 * ```
 */
export function readPolicy(document: unknown): ReadPolicy {
  const malformed = documentFaults(PolicyDocument, document, 'the policy');
  if (malformed.length > 0) return { ok: false, faults: malformed };
  const given = document as PolicyDocument;
  const faults = contentFaults(given);
  if (faults.length > 0) return { ok: false, faults };
  const policy = {
    chains: given.chains.map(chainPolicyOf),
    typedData: given.typedData ?? [],
    areMessagesAllowed: given.messages === 'ALLOWED',
  };
  return { ok: true, policy };
}

/** What a schema does not say: nothing is there twice, and a limit limits something. */
function contentFaults({ chains }: PolicyDocument): string[] {
  return [
    ...twice(
      chains.map(({ chainId }) => String(chainId)),
      (at) => `chains[${at}].chainId`,
    ),
    ...chains.flatMap(({ topUps = [] }, at) => topUpFaults(topUps, `chains[${at}].topUps`)),
    ...chains.flatMap(({ tokens, corridors = [] }, at) => [
      ...twice(
        corridors.map(({ corridorId }) => corridorId),
        (corridor) => `chains[${at}].corridors[${corridor}].corridorId`,
      ),
      ...twice(
        tokens.map(({ address }) => address),
        (token) => `chains[${at}].tokens[${token}].address`,
      ),
      ...tokens.flatMap(({ spend }, token) =>
        (spend?.limits ?? []).flatMap(({ most, mostCount }, limit) =>
          most === undefined && mostCount === undefined
            ? [
                `chains[${at}].tokens[${token}].spend.limits[${limit}] limits nothing. Give most or mostCount.`,
              ]
            : [],
        ),
      ),
    ]),
  ];
}

function topUpFaults(topUps: NonNullable<ChainEntry['topUps']>, field: string): string[] {
  return [
    ...twice(
      topUps.map(({ to }) => to),
      (at) => `${field}[${at}].to`,
    ),
    ...topUps.flatMap(({ from, amountWei }, at) => [
      ...(topUps.some((each) => each.to === from)
        ? [`${field}[${at}].from is filled up itself. Give a relayer that is not.`]
        : []),
      ...(BigInt(amountWei) === 0n ? [`${field}[${at}].amountWei sends nothing. Give more.`] : []),
    ]),
  ];
}

function twice(values: readonly string[], fieldAt: (index: number) => string): string[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? [`${fieldAt(index)} is there twice. Merge the two entries.`] : [],
  );
}

function chainPolicyOf({
  tokens,
  corridors = [],
  simulation,
  mostGas,
  keepWei,
  topUps = [],
  ...chain
}: ChainEntry): ChainPolicy {
  return {
    ...chain,
    corridors,
    tokens: tokens.map(({ address, spend }) => ({
      address,
      ...(spend !== undefined && { spend: spendPolicyOf(spend) }),
    })),
    isSimulationDemanded: simulation === 'DEMANDED',
    mostGas: BigInt(mostGas),
    keepWei: BigInt(keepWei),
    topUps: topUps.map(({ belowWei, amountWei, window, ...others }) => ({
      ...others,
      belowWei: BigInt(belowWei),
      amountWei: BigInt(amountWei),
      windowSeconds: secondsOf(window),
    })),
  };
}

function spendPolicyOf({
  most,
  limits = [],
}: NonNullable<ChainEntry['tokens'][number]['spend']>): SpendPolicy {
  return {
    most: BigInt(most),
    limits: limits.map(({ each, window, most: within, mostCount }) => ({
      each,
      windowSeconds: secondsOf(window),
      ...(within !== undefined && { most: BigInt(within) }),
      ...(mostCount !== undefined && { mostCount }),
    })),
  };
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

function secondsOf(window: string): number {
  return window.endsWith('H')
    ? Number(window.slice(2, -1)) * HOUR_SECONDS
    : Number(window.slice(1, -1)) * DAY_SECONDS;
}
