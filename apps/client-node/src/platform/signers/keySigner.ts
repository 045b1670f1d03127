import type { Hex } from '@fairway/relay';
import { privateKeyToAccount } from 'viem/accounts';
import type { Signer } from './signer.ts';

/** Signs with a key that this process holds. */
export function keySigner(privateKey: Hex): Signer {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address.toLowerCase() as Hex,
    sign: (unsigned) => account.signTransaction(unsigned),
    signReadable: (_, hash) => account.sign({ hash }),
  };
}
