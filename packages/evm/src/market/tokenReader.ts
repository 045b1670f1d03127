import type { Address } from '@fairway/engine';
import { decodeAbiParameters, hexToString, trim } from 'viem';
import type { BatchRead } from '../rpc/multicall.ts';
import type { TokenInfo } from '../types.ts';

const SELECTORS = { decimals: '0x313ce567', symbol: '0x95d89b41', name: '0x06fdde03' } as const;

/**
 * Reads tokens as their contracts describe them. A contract without usable decimals is left out:
 * amounts of it could not be shown.
 */
export async function readTokens(read: BatchRead, addresses: readonly Address[]): Promise<TokenInfo[]> {
  const answers = await read(
    addresses.flatMap((target) => [
      { target, callData: SELECTORS.decimals },
      { target, callData: SELECTORS.symbol },
      { target, callData: SELECTORS.name },
    ]),
  );
  return addresses.flatMap((address, index) => {
    const decimals = decodeDecimals(answers[3 * index]);
    if (decimals === undefined) return [];
    const symbol = decodeText(answers[3 * index + 1]) ?? address.slice(0, 8);
    return [{ address, decimals, symbol, name: decodeText(answers[3 * index + 2]) ?? symbol }];
  });
}

function decodeDecimals(answer: `0x${string}` | undefined): number | undefined {
  if (answer === undefined || answer.length !== 66) return undefined;
  const decimals = BigInt(answer);
  return decimals <= 255n ? Number(decimals) : undefined;
}

/** Early tokens (MKR, SAI) return bytes32 where the standard says string. */
function decodeText(answer: `0x${string}` | undefined): string | undefined {
  if (answer === undefined) return undefined;
  try {
    const text =
      answer.length === 66
        ? hexToString(trim(answer, { dir: 'right' }))
        : decodeAbiParameters([{ type: 'string' }], answer)[0];
    // Names are shown to people and in logs: no control or direction characters from a contract.
    const shown = text.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 64);
    return shown === '' ? undefined : shown;
  } catch {
    return undefined;
  }
}
