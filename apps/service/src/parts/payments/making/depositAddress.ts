import { toAddress } from '@fairway/engine';
import { isSignedBy, latestHead } from '@fairway/evm';
import type { PlanOptions } from '@fairway/plan';
import type { PlanCreation, PlanScope } from '@fairway/store';
import { done, eip55, invalidFields, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import { readOrAway } from '../chainFacts.ts';
import type { PaymentAsk } from './judgeRequest.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { ADDRESS_OF_ANOTHER, addressInUse, chainAway, senderInUse } from '../planProblems.ts';

/**
 * An address that has signed that it belongs to a new plan. Money that comes there from this block on belongs to the
 * plan.
 */
type ProvenAddress = NonNullable<PlanCreation['proven']>;

/** The options of a new plan whose address it may have. `proven`: its address, where the request has proven it. */
export type OwnAddress = { readonly options: PlanOptions; readonly proven: ProvenAddress | undefined };

type AddressAsk = Pick<PaymentAsk, 'clientReference' | 'corridor' | 'options' | 'addressSignature'>;

/**
 * Judges whether a new plan may have its address. An address that is proven to be the request's is taken from
 * another plan that only names it, once the new plan is written. Without a proof the plan is refused while its deposit
 * address is another organisation's. A plan without a deposit address is refused while its `sender` is the one of another plan:
 * money that is sent there is that plan's.
 */
export async function judgeAddress(
  parts: PaymentParts,
  scope: PlanScope,
  ask: AddressAsk,
  nowMs: number,
): Promise<Outcome<OwnAddress>> {
  const { options, corridor } = ask;
  const proof = await judgeProof(parts, scope, ask);
  if (!proof.ok) return proof;
  if (proof.value === undefined) {
    const problem = await refuseUnproven(parts, scope, ask);
    return problem === undefined ? done({ options, proven: undefined }) : refuse(problem);
  }
  const proven = { chainId: corridor.source.chainId, ...proof.value, atMs: nowMs };
  if (options.depositAddress !== undefined)
    return done({ options: { ...options, isAddressProven: true }, proven });
  const problem = await refuseSender(parts, scope, ask, true);
  return problem === undefined ? done({ options, proven }) : refuse(problem);
}

/** The problem of a deposit address that another open plan has. A plan of the same organisation gives it up to no proof. */
export async function refusedAddress(
  { store }: PaymentParts,
  scope: PlanScope,
  ask: AddressAsk,
  { proven }: OwnAddress,
): Promise<ProblemFacts> {
  const { chainId } = ask.corridor.source;
  const { holder } = await store.payments.addressHolder(scope, chainId, ask.options.depositAddress ?? '');
  const problem = addressInUse(holder?.planId);
  const isProvable = proven === undefined && holder?.planId === undefined;
  return isProvable ? withProof(problem, scope, ask) : problem;
}

/** The address that a request proves to be its own, and from which block on; undefined where it proves nothing. */
async function judgeProof(
  { chains }: PaymentParts,
  scope: PlanScope,
  ask: AddressAsk,
): Promise<Outcome<Pick<ProvenAddress, 'account' | 'fromBlock'> | undefined>> {
  const { addressSignature: signature, corridor } = ask;
  if (signature === undefined) return done(undefined);
  const address = provableAddress(ask);
  if (address === undefined) {
    const detail = 'addressSignature goes with depositAddress or sender, whose signature it is.';
    return refuse(invalidFields([{ pointer: POINTER, detail }]));
  }
  const { chainId } = corridor.source;
  const text = proofText(scope, ask);
  const read = await readOrAway(async () => {
    const chain = chains.get(chainId);
    if (chain === undefined) return undefined;
    const { hash, number } = await latestHead(chain.request);
    const isSigned = await isSignedBy(chain.request, hash, { account: toAddress(address), text, signature });
    return { isSigned, fromBlock: Number(number) + 1 };
  });
  if (!read.ok || read.value === undefined)
    return refuse(chainAway(read.ok ? 'UNREACHABLE' : read.away, chainId));
  const { isSigned, fromBlock } = read.value;
  if (isSigned) return done({ account: address, fromBlock });
  const detail = `addressSignature is not the signature of ${eip55(toAddress(address))} (EIP-191, or EIP-1271 of a contract) of this text: ${text}`;
  return refuse(invalidFields([{ pointer: POINTER, detail }]));
}

async function refuseUnproven(
  parts: PaymentParts,
  scope: PlanScope,
  ask: AddressAsk,
): Promise<ProblemFacts | undefined> {
  const { depositAddress } = ask.options;
  if (depositAddress === undefined) return refuseSender(parts, scope, ask);
  const { chainId } = ask.corridor.source;
  const asked = await parts.store.payments.isProvenElsewhere(scope, chainId, depositAddress);
  return asked.isProven ? withProof(ADDRESS_OF_ANOTHER, scope, ask) : undefined;
}

/** `isOurs`: the request has proven that the sender is its own, so that a plan of others that only names it loses it. */
async function refuseSender(
  { store }: PaymentParts,
  scope: PlanScope,
  ask: AddressAsk,
  isOurs = false,
): Promise<ProblemFacts | undefined> {
  const { sender } = ask.options;
  if (sender === undefined) return undefined;
  const asked = await store.payments.addressHolder(scope, ask.corridor.source.chainId, sender);
  if (asked.holder === undefined) return undefined;
  const { planId, isProven } = asked.holder;
  const problem = senderInUse(planId);
  const isOnlyNamed = planId === undefined && !isProven;
  if (isOnlyNamed && isOurs) return undefined;
  return isOnlyNamed ? withProof(problem, scope, ask) : problem;
}

/** A problem that a proof of the address may end, with the text that is to be signed. */
function withProof(problem: ProblemFacts, scope: PlanScope, ask: AddressAsk): ProblemFacts {
  const detail = `${problem.detail} If the address is yours and the other plan is not, have the address sign this text, its full stop included, and send the signature as options.addressSignature: ${proofText(scope, ask)}`;
  return { ...problem, detail };
}

/**
 * What the address of a plan signs. It names the organisation and the plan's reference, so that it proves nothing for anybody
 * else and for no other plan.
 */
function proofText({ organisationId, environment }: PlanScope, ask: AddressAsk): string {
  const { clientReference, corridor } = ask;
  const address = eip55(toAddress(provableAddress(ask) ?? ''));
  return `Fairway: ${address} on chain ${corridor.source.chainId} pays ${JSON.stringify(clientReference)} of organisation ${organisationId} (${environment}).`;
}

function provableAddress({ options }: AddressAsk): string | undefined {
  return options.depositAddress ?? options.sender;
}

const POINTER = '/options/addressSignature';
