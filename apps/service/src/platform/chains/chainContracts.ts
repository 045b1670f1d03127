import { toAddress } from '@fairway/engine';
import type { KnownContracts } from '../accounts/unusableAccount.ts';
import type { ChainService } from './chainService.ts';

/** The contracts of a served chain that its market knows. */
export function contractsOf({
  wrappedNative,
  router,
  otherContracts,
  follower,
}: ChainService): KnownContracts {
  return {
    isToken: (address) => address === wrappedNative || follower.tokens.has(toAddress(address)),
    isPool: (address) => follower.pool(toAddress(address)) !== undefined,
    routers: [router],
    others: otherContracts,
  };
}
