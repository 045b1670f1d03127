import type { Asset } from '@fairway/plan';
import { eip55 } from '@fairway/api';

/** What an amount is counted in, as commands print it. */
export function assetText(asset: Asset): string {
  return 'currency' in asset ? asset.currency : `${eip55(asset.address)} on chain ${asset.chainId}`;
}
