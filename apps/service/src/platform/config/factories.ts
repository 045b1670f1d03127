import { type FeePips, toAddress } from '@fairway/engine';
import type { Factory } from '@fairway/evm';
import type { ConfigFile } from './schema.ts';

/** A factory of pools as the configuration file names it. */
export type FactoryEntry = ConfigFile['chains'][number]['factories'][number];

type Shared = Pick<Factory, 'name' | 'address'>;

type FactoryKind<Kind> = {
  /** The key of an entry that says which fees pools of this kind have. */
  readonly feeKey: 'feePips' | 'feeTiers';
  toFactory(entry: FactoryEntry, shared: Shared): Extract<Factory, { readonly kind: Kind }>;
};

/**
 * How factories of each kind are configured. A kind of pools without a row here does not compile, nor does a row whose
 * kind the schema of the file does not list.
 */
const FACTORY_KINDS: { readonly [Kind in Factory['kind']]: FactoryKind<Kind & FactoryEntry['kind']> } = {
  UNISWAP_V2: {
    feeKey: 'feePips',
    toFactory: ({ feePips = 3000 }, shared) => ({
      ...shared,
      kind: 'UNISWAP_V2',
      feePips: feePips as FeePips,
    }),
  },
  UNISWAP_V3: {
    feeKey: 'feeTiers',
    toFactory: ({ feeTiers = [100, 500, 3000, 10_000] }, shared) => ({
      ...shared,
      kind: 'UNISWAP_V3',
      feeTiers: feeTiers as FeePips[],
    }),
  },
};

/** A factory as configured, which was checked before. */
export function toFactory(entry: FactoryEntry): Factory {
  const { kind, name, address } = entry;
  return FACTORY_KINDS[kind].toFactory(entry, { name, address: toAddress(address) });
}

/** The keys of an entry that belong to factories of another kind. */
export function misplacedKeys(entry: FactoryEntry): readonly string[] {
  const { feeKey } = FACTORY_KINDS[entry.kind];
  return (['feePips', 'feeTiers'] as const).filter((key) => key !== feeKey && entry[key] !== undefined);
}
