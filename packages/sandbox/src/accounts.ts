import { pbkdf2Sync } from 'node:crypto';
import { type Address, bytesToHex, type Hex } from 'viem';
import { HDKey, privateKeyToAddress } from 'viem/accounts';
import { ACCOUNT_COUNT, SANDBOX_MNEMONIC } from './anvil.ts';

/** A funded account whose key is public. The address is EIP-55. */
export type SandboxAccount = { readonly address: Address; readonly privateKey: Hex };

/** The sandbox's accounts, by BIP-39 and BIP-44 from the mnemonic; anvil derives the same ones. */
export function sandboxAccounts(): readonly SandboxAccount[] {
  const seed = pbkdf2Sync(SANDBOX_MNEMONIC, 'mnemonic', 2048, 64, 'sha512');
  const parent = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0");
  return Array.from({ length: ACCOUNT_COUNT }, (_, index) => {
    const key = parent.deriveChild(index).privateKey;
    if (key === null) throw new Error(`Account ${index} has no key`);
    const privateKey = bytesToHex(key);
    return { address: privateKeyToAddress(privateKey), privateKey };
  });
}
