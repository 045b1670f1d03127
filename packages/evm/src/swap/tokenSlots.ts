import { type Address, toAddress } from '@fairway/engine';
import { concat, type Hex, keccak256, numberToHex, pad } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { revertData, RpcAnswerError } from '../rpc/errors.ts';
import { encodeFunctionData } from '../calls/callData.ts';
import { TOKEN_ABI } from '../calls/contractAbis.ts';

/** A storage word of a contract that holds one balance or allowance. */
export type StorageSlot = { readonly contract: Address; readonly key: Hex };

/**
 * Finds the storage words of balances and allowances, so that a simulation at a block can override them. Undefined
 * where there is no such word.
 */
export type TokenSlots = {
  balance(blockHash: Hex, token: Address, owner: Address): Promise<StorageSlot | undefined>;
  allowance(
    blockHash: Hex,
    token: Address,
    owner: Address,
    spender: Address,
  ): Promise<StorageSlot | undefined>;
  /** Forgets a token's slots, after its storage turned out to be laid out differently. */
  forget(token: Address): void;
};

/** A mapping's position, which gives every owner's slot. */
type Layout = { readonly contract: Address; readonly index: bigint; readonly language: 'SOLIDITY' | 'VYPER' };

/** What is known of a view function of a token. `layout`: undefined where it could not be derived. */
type Remembered = { readonly layout: Layout | undefined; readonly byOwners: Map<string, StorageSlot> };

/** Slots remembered of all tokens together: callers name any owner. A slot takes a hash for each owner. */
const MOST_SLOTS = 20_000;

/** Mappings are declared early in a contract; bases with storage gaps push them to a few hundred. */
const LAST_DERIVED_INDEX = 300;

/** Candidates tried for each number: a plain token's function reads fewer words. */
const MAX_CANDIDATES = 32;

/** Unlikely as a real balance, small enough for any token that packs its numbers. */
const PROBE = 271_828_182_845n;

/**
 * Finds slots by asking the node what a view function reads (`eth_createAccessList`). It overrides each word read,
 * and looks for the one that the function then answers. Layouts are remembered per token, so a known token costs no
 * request. Rejects as `request` rejects.
 */
export function createTokenSlots(request: RpcRequest): TokenSlots {
  const remembered = new Map<string, Remembered>();
  let slotCount = 0;

  function makeRoom(): void {
    slotCount += 1;
    if (slotCount <= MOST_SLOTS) return;
    for (const { byOwners } of remembered.values()) byOwners.clear();
    slotCount = 1;
  }

  async function find(
    blockHash: Hex,
    token: Address,
    name: 'balanceOf' | 'allowance',
    owners: readonly Address[],
    data: Hex,
  ): Promise<StorageSlot | undefined> {
    const cacheKey = `${token} ${name}`;
    const known: Remembered = remembered.get(cacheKey) ?? { layout: undefined, byOwners: new Map() };
    const { layout, byOwners } = known;
    const ownersKey = owners.join(' ');
    const seen = byOwners.get(ownersKey);
    if (seen !== undefined) return seen;
    const slot = layout
      ? { contract: layout.contract, key: mappingKey(layout, owners) }
      : await discoverSlot(request, blockHash, token, data);
    if (slot === undefined) return undefined;
    makeRoom();
    byOwners.set(ownersKey, slot);
    remembered.set(cacheKey, { layout: layout ?? deriveLayout(slot, owners), byOwners });
    return slot;
  }

  return {
    balance: (blockHash, token, owner) =>
      find(
        blockHash,
        token,
        'balanceOf',
        [owner],
        encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [owner] }),
      ),
    allowance: (blockHash, token, owner, spender) =>
      find(
        blockHash,
        token,
        'allowance',
        [owner, spender],
        encodeFunctionData({ abi: TOKEN_ABI, functionName: 'allowance', args: [owner, spender] }),
      ),
    forget(token) {
      remembered.delete(`${token} balanceOf`);
      remembered.delete(`${token} allowance`);
    },
  };
}

async function discoverSlot(
  request: RpcRequest,
  blockHash: Hex,
  token: Address,
  data: Hex,
): Promise<StorageSlot | undefined> {
  const answer = (await request({
    method: 'eth_createAccessList',
    params: [{ to: token, data }, { blockHash }],
  })) as { accessList?: { address: string; storageKeys: Hex[] }[] };
  const candidates = (answer.accessList ?? [])
    .flatMap(({ address, storageKeys }) => storageKeys.map((key) => ({ contract: toAddress(address), key })))
    .slice(0, MAX_CANDIDATES);
  const probe = numberToHex(PROBE, { size: 32 });
  const refusals: RpcAnswerError[] = [];
  const answers = await Promise.all(
    candidates.map(({ contract, key }) =>
      // Overriding another word can make the function revert; then this word is not the one. Nodes that contradict each
      // other do not show that: the swap would then pass for one that cannot be simulated.
      request({
        method: 'eth_call',
        params: [{ to: token, data }, { blockHash }, { [contract]: { stateDiff: { [key]: probe } } }],
      }).catch((error: unknown) => {
        if (!(error instanceof RpcAnswerError)) throw error;
        if (revertData(error) === undefined) refusals.push(error);
        return undefined;
      }),
    ),
  );
  // A node that answers nothing does not show that the token has no such word.
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === candidates.length) throw refusal;
  return candidates[answers.indexOf(probe)];
}

function deriveLayout(slot: StorageSlot, owners: readonly Address[]): Layout | undefined {
  for (let index = 0n; index <= LAST_DERIVED_INDEX; index++)
    for (const language of ['SOLIDITY', 'VYPER'] as const) {
      const layout: Layout = { contract: slot.contract, index, language };
      if (mappingKey(layout, owners) === slot.key) return layout;
    }
  return undefined;
}

/**
 * The slot of a (nested) mapping's entry. Solidity hashes the owner before the position, Vyper after it
 * (docs.soliditylang.org/en/latest/internals/layout_in_storage.html; Vyper's storage layout is its mirror image).
 */
function mappingKey({ index, language }: Layout, owners: readonly Address[]): Hex {
  return owners.reduce<Hex>(
    (position, owner) => {
      const word = pad(owner);
      return keccak256(concat(language === 'SOLIDITY' ? [word, position] : [position, word]));
    },
    numberToHex(index, { size: 32 }),
  );
}
