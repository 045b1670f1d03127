import type { Policy } from './policy.ts';
import type { Refusal } from './refusal.ts';

/** Typed data (EIP-712) that is to be signed. */
export type TypedData = {
  readonly domain: { readonly chainId?: number | bigint; readonly verifyingContract?: string };
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[] | undefined>
  >;
  readonly primaryType: string;
};

/** Fields by which a signature lets another one move tokens: EIP-2612, Permit2, approvals for all, meta-transactions. */
const GRANTING_FIELDS: ReadonlySet<string> = new Set(['spender', 'operator', 'permitted', 'allowed']);
/** Types whose signature lets another one move tokens: permits, and the authorizations of ERC-3009. */
const isGranting = (type: string) => /permit|authorization/i.test(type);
/** How many digits a hash has. */
const HASH_DIGITS = 64;
/** The digits of a hash as a text, in hex. Wallets take such texts for the bytes that they write. */
const HASH_TEXT = /^0x(20|0a)*(30[57]8)?(3[0-9]|[46][1-6]){64}(20|0a)*$/i;

/**
 * Judges typed data: its contract and type must be allowed, and it must not let anybody spend. Approvals are calls, which
 * are judged with the swap that needs them. Undefined: it may be signed.
 *
 * @example
 * ```ts
 * import { judgeTypedData, type Policy, type TypedData } from '@fairway/policies';
 *
 * declare const policy: Policy;
 * declare const permit: TypedData;
 * judgeTypedData(policy, permit)?.code; // 'GRANTS_SPENDING'
 * ```
 */
export function judgeTypedData(
  policy: Policy,
  { domain, types, primaryType }: TypedData,
): Refusal | undefined {
  const fields = Object.values(types).flatMap((each) => each ?? []);
  const granting = fields.find(({ name }) => GRANTING_FIELDS.has(name.toLowerCase()));
  if (granting !== undefined || [primaryType, ...Object.keys(types)].some(isGranting))
    return {
      ...{ code: 'GRANTS_SPENDING', rule: 'typedData' },
      detail: `${primaryType} lets another one spend. The node approves by calls alone.`,
    };
  const contract = domain.verifyingContract?.toLowerCase();
  const isAllowed = policy.typedData.some(
    (rule) =>
      BigInt(rule.chainId) === BigInt(domain.chainId ?? 0) &&
      rule.verifyingContract === contract &&
      rule.primaryType === primaryType,
  );
  if (isAllowed) return undefined;
  return {
    ...{ code: 'TYPED_DATA_NOT_ALLOWED', rule: 'typedData' },
    detail: `${primaryType} of ${contract ?? 'no contract'} on chain ${domain.chainId ?? 'unknown'} is not named.`,
  };
}

/**
 * Judges a message, its bytes in hex. A hash is never signed: it could be that of a transaction. Undefined: it may be
 * signed.
 *
 * @example
 * ```ts
 * import { judgeMessage, type Policy } from '@fairway/policies';
 *
 * declare const policy: Policy;
 * judgeMessage(policy, `0x${'00'.repeat(32)}`)?.code; // 'MESSAGE_NOT_ALLOWED'
 * ```
 */
export function judgeMessage({ areMessagesAllowed }: Policy, message: string): Refusal | undefined {
  const isHash = message.length === HASH_DIGITS + '0x'.length || HASH_TEXT.test(message);
  if (areMessagesAllowed && !isHash) return undefined;
  const detail = isHash
    ? 'It is a hash, or has 32 bytes as a hash has. Nobody can read what it is of.'
    : 'The policy does not allow messages.';
  return { code: 'MESSAGE_NOT_ALLOWED', rule: 'messages', detail };
}
