import { exactAmount } from '@fairway/values';
import type { Receipt, RelayerView } from '@fairway/wire';

/** How a relayer stands, and what somebody has to do about it. */
export type Standing = {
  readonly word: string;
  readonly tone: 'good' | 'care' | 'bad' | 'plain';
  readonly todo?: string;
};

const DISABLED: Readonly<Record<NonNullable<RelayerView['disabledReason']>, string>> = {
  NONCES_UNKNOWN:
    'The chain has transactions of this key that the node did not send. See what they did, and stop whoever sends them.',
  DATABASE_OLDER:
    'The database does not know all that was sent. The node takes it over from its journal. Wait for that first.',
  KEY_USED_ELSEWHERE:
    'Another transaction has a nonce of this node: somebody else uses the key. See that this ends.',
  JOURNAL_MISSING: 'The journal is missing, or the key was used before. See what the key did.',
};

const AWAY: Readonly<Record<Exclude<RelayerView['state'], 'WORKING'>, Standing>> = {
  STARTING: {
    ...{ word: 'Nodes away since the start', tone: 'bad' },
    todo: 'The nodes of its chain do not answer, or not alike. See whether they run.',
  },
  NODES_AWAY: {
    ...{ word: 'Nodes away', tone: 'bad' },
    todo: 'The nodes of its chain do not answer, or not alike. See whether they run.',
  },
  SIGNER_AWAY: {
    ...{ word: 'Signer away', tone: 'bad' },
    todo: 'Its signer does not sign, or not what it was asked for. See the log.',
  },
  FAILING: { word: 'Failing', tone: 'bad', todo: 'It cannot go on. The log says why.' },
};

type Watched = Pick<
  RelayerView,
  'relayerId' | 'state' | 'disabledReason' | 'paused' | 'lowBalance' | 'stuckNonce' | 'topUp'
>;

/** All that is to be said of a relayer, the worst first. */
export function standingsOf(relayer: Watched): readonly Standing[] {
  const { relayerId, state, disabledReason, paused, lowBalance, stuckNonce, topUp } = relayer;
  const found: Standing[] = state === 'WORKING' ? [] : [AWAY[state]];
  if (disabledReason !== undefined)
    found.push({
      word: `Disabled (${disabledReason})`,
      tone: 'bad',
      todo: `${DISABLED[disabledReason]} Then POST /relay/relayers/${relayerId}/reconcile, until open is 0.`,
    });
  if (stuckNonce !== undefined)
    found.push({
      word: 'Stuck',
      tone: 'care',
      todo: `Nonce ${stuckNonce} has waited for its block for too long. Compare the highest fee with the market, and see whether the nodes take transactions. Everything behind it waits.`,
    });
  if (lowBalance === true)
    found.push({
      word: 'Low balance',
      tone: 'care',
      todo: 'It has less than one more execution may cost. Send native currency to its address.',
    });
  if (topUp?.failure !== undefined)
    found.push({
      word: 'No top-up',
      tone: 'care',
      todo: `The policy refuses the top-up (${topUp.failure.code}). ${topUp.failure.detail ?? ''}`,
    });
  if (paused === true)
    found.push({
      word: 'Paused',
      tone: 'care',
      todo: `Nothing new is signed, and what waits stays. POST /relay/relayers/${relayerId}/resume lets it go on.`,
    });
  return found.length === 0 ? [{ word: 'Working', tone: 'good' }] : found;
}

/** What a status says to people. */
export const STATUS_WORDS: Readonly<Record<Receipt['status'], string>> = {
  ...{ PENDING: 'Not sent', BROADCAST: 'Sent', MINED: 'In a block', CONFIRMED: 'Confirmed' },
  ...{ REVERTED: 'Failed on the chain', CANCELLED: 'Cancelled', EXPIRED: 'Expired', REJECTED: 'Refused' },
};

/** What holds a key. */
export const SIGNER_WORDS: Readonly<Record<RelayerView['signer'], string>> = {
  ...{ KEYSTORE: 'encrypted file', AWS_KMS: 'AWS KMS', WEB3SIGNER: 'web3signer' },
};

const GWEI_DECIMALS = 9;

/** What a unit of gas costs, in gwei with three digits behind the point at most. */
export function gwei(wei: bigint): string {
  const thousandth = 10n ** 6n;
  return `${exactAmount(((wei + thousandth / 2n) / thousandth) * thousandth, GWEI_DECIMALS)} gwei`;
}

/** Wei as whole coins, with six digits behind the point at most. */
export function coins(wei: bigint): string {
  const micro = wei / 10n ** 12n;
  const fraction = String(micro % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const whole = (micro / 1_000_000n).toLocaleString('en');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Seconds as people say them. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3_600)} h`;
}

/** A long id or hash, whose middle is left out. */
export function shortened(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 10)}…${text.slice(-6)}`;
}
