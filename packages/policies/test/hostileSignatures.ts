// Typed data and messages that have to be refused.
import type * as Policies from '../src/index.ts';
import { CHAIN_ID, policy, RELAYER, THIEF, USDC } from './proposals.ts';

type Judges = Pick<typeof Policies, 'judgeMessage' | 'judgeTypedData'>;

/** Something that is to be signed: typed data, or a message. */
export type HostileSignature = {
  readonly name: string;
  readonly code: Policies.RefusalCode;
  readonly typedData?: Policies.TypedData;
  readonly message?: string;
  readonly policy?: Policies.Policy;
};

/** The code that it is refused with; undefined: it is allowed. */
export function signatureCode(judges: Judges, given: HostileSignature): Policies.RefusalCode | undefined {
  const under = given.policy ?? policy;
  if (given.typedData !== undefined) return judges.judgeTypedData(under, given.typedData)?.code;
  return judges.judgeMessage(under, given.message ?? '0x')?.code;
}

const CONTRACT = `0x${'5'.repeat(40)}`;
const fields = (...names: readonly string[]) => names.map((name) => ({ name, type: 'address' }));

/** What may be signed: it is named by the policy. */
const LOGIN: Policies.TypedData = {
  domain: { chainId: CHAIN_ID, verifyingContract: CONTRACT },
  types: { Login: fields('account', 'nonce') },
  primaryType: 'Login',
};

/** A policy that names a permit all the same. */
const CARELESS: Policies.Policy = {
  ...policy,
  typedData: [
    { chainId: CHAIN_ID, verifyingContract: USDC, primaryType: 'Permit' },
    { chainId: CHAIN_ID, verifyingContract: CONTRACT, primaryType: 'Order' },
  ],
};
const TALKATIVE: Policies.Policy = { ...policy, areMessagesAllowed: true };

/** Permits, and what no rule names. */
export const HOSTILE_SIGNATURES: readonly HostileSignature[] = [
  {
    ...{ name: 'a permit (EIP-2612) of a token', code: 'GRANTS_SPENDING', policy: CARELESS },
    typedData: {
      domain: { chainId: CHAIN_ID, verifyingContract: USDC },
      types: { Permit: fields('owner', 'holder', 'value') },
      primaryType: 'Permit',
    },
  },
  {
    ...{ name: 'an order in which a spender hides', code: 'GRANTS_SPENDING', policy: CARELESS },
    typedData: {
      domain: { chainId: CHAIN_ID, verifyingContract: CONTRACT },
      types: { Order: [{ name: 'inner', type: 'Inner' }], Inner: fields('spender') },
      primaryType: 'Order',
    },
  },
  {
    ...{ name: 'a transfer by signature (ERC-3009)', code: 'GRANTS_SPENDING', policy: CARELESS },
    typedData: {
      domain: { chainId: CHAIN_ID, verifyingContract: USDC },
      types: { TransferWithAuthorization: fields('from', 'to', 'value') },
      primaryType: 'TransferWithAuthorization',
    },
  },
  {
    ...{ name: 'an order around a permit', code: 'GRANTS_SPENDING', policy: CARELESS },
    typedData: {
      domain: { chainId: CHAIN_ID, verifyingContract: CONTRACT },
      types: { Order: [{ name: 'inner', type: 'Permit' }], Permit: fields('owner') },
      primaryType: 'Order',
    },
  },
  {
    ...{ name: 'a type that no rule names', code: 'TYPED_DATA_NOT_ALLOWED' },
    typedData: { ...LOGIN, primaryType: 'Order', types: { Order: fields('maker') } },
  },
  {
    ...{ name: 'the type of a rule, of another contract', code: 'TYPED_DATA_NOT_ALLOWED' },
    typedData: { ...LOGIN, domain: { ...LOGIN.domain, verifyingContract: THIEF } },
  },
  {
    ...{ name: 'the type of a rule, on another chain', code: 'TYPED_DATA_NOT_ALLOWED' },
    typedData: { ...LOGIN, domain: { ...LOGIN.domain, chainId: 10 } },
  },
  {
    ...{ name: 'the type of a rule, for any chain', code: 'TYPED_DATA_NOT_ALLOWED' },
    typedData: { ...LOGIN, domain: { verifyingContract: CONTRACT } },
  },
  { name: 'a message where none are allowed', code: 'MESSAGE_NOT_ALLOWED', message: RELAYER },
  {
    ...{ name: 'a hash where messages are allowed', code: 'MESSAGE_NOT_ALLOWED' },
    ...{ message: `0x${'ab'.repeat(32)}`, policy: TALKATIVE },
  },
  {
    ...{ name: 'the digits of a hash as a text', code: 'MESSAGE_NOT_ALLOWED', policy: TALKATIVE },
    message: `0x3078${'6142'.repeat(32)}`,
  },
];
