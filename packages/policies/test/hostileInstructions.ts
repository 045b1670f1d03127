// What has to be refused, each for a reason of its own.
import type { GivenCall } from '@fairway/sdk/checks';
import { concatHex, type Hex } from 'viem';
import type { Asked, Known, Policy, Proposal, RefusalCode } from '../src/index.ts';
import {
  honestOut,
  nativeExactOut,
  nativeIn,
  nativeOut,
  topUp,
  transfer,
  unwrap,
  wrap,
} from './honestProposals.ts';
import {
  AMOUNT,
  approval,
  ASKED,
  call,
  DAI,
  DEADLINE,
  encode,
  exactIn,
  exactOut,
  exactOutOfPairs,
  foreign,
  honest,
  ITSELF,
  LEAST,
  multicall,
  NOW,
  PAYEE,
  policyWithoutSlippage,
  RELAYER,
  route,
  ROUTER,
  THIEF,
  UNKNOWN_TOKEN,
  UNLIMITED,
  USDC,
  WBTC,
  WETH,
} from './proposals.ts';

/** A proposal, with what differs from what is known of an honest one. */
export type Hostile = {
  readonly name: string;
  readonly code: RefusalCode;
  readonly proposal: Proposal;
  readonly known?: Partial<Known>;
  readonly policy?: Policy;
};

const hostile = (
  code: RefusalCode,
  name: string,
  proposal: Proposal,
  known: Partial<Known> = {},
): Hostile => ({
  ...{ code, name, proposal, known },
});
/** Other calls than those of the honest swap. */
const calls = (code: RefusalCode, name: string, given: readonly GivenCall[]): Hostile =>
  hostile(code, name, { asked: ASKED, calls: given });
/** A call before the honest ones. */
const before = (code: RefusalCode, name: string, given: GivenCall): Hostile =>
  calls(code, name, [given, route([exactIn()])]);
/** The honest approval, with other calls inside of the router's. */
const inside = (code: RefusalCode, name: string, ...inner: readonly Hex[]): Hostile =>
  calls(code, name, [approval(), route(inner)]);
/** The honest calls, where something else was asked for. */
const asking = (code: RefusalCode, name: string, changed: Partial<Asked>): Hostile =>
  hostile(code, name, { asked: { ...ASKED, ...changed }, calls: honest.calls });
/** The honest swap, where something else is known. */
const knowing = (code: RefusalCode, name: string, known: Partial<Known>): Hostile =>
  hostile(code, name, honest, known);

/** An exact output over pairs that the router collects, with these calls behind. */
const ofPairs = (name: string, ...behind: readonly Hex[]): Hostile =>
  hostile('ANSWER_AMOUNT', name, {
    asked: honestOut.asked,
    calls: [approval(), route([exactOutOfPairs({ recipient: ITSELF, bound: AMOUNT }), ...behind])],
  });

/** Dirt in the twelve bytes before an address that stands in a word. */
function withDirt(data: Hex, address: Hex): Hex {
  const at = data.lastIndexOf(address.slice(2)) - 24;
  return `${data.slice(0, at)}01${data.slice(at + 2)}` as Hex;
}

/** A proposal of one call, with something else in the call. */
const changed = ({ asked, calls: given }: Proposal, part: Partial<GivenCall>): Proposal => ({
  asked,
  calls: given.map((each) => ({ ...each, ...part })),
});

const withData = (data: string): readonly GivenCall[] => [approval(), { ...route([]), data }];
const swapData = multicall([exactIn()]);

const PLACES: readonly Hostile[] = [
  calls('ANSWER_CHAIN', 'the swap is for another chain', [
    approval(),
    { ...route([exactIn()]), chainId: 10 },
  ]),
  calls('ANSWER_CHAIN', 'the approval is for another chain', [
    { ...approval(), chainId: 10 },
    route([exactIn()]),
  ]),
  asking('CHAIN_NOT_ALLOWED', 'a chain that the policy does not name is asked for', { chainId: 10 }),
  calls('ANSWER_ROUTER', 'the router is another contract', [approval(), call(THIEF, swapData)]),
  calls('ANSWER_ROUTER', 'the last call is a transfer', [
    approval(),
    call(USDC, encode('transfer', [THIEF, AMOUNT])),
  ]),
  calls('ANSWER_CALLS', 'there are no calls', []),
  calls('ANSWER_CALLDATA', 'it is to be delegated', [
    approval(),
    { ...route([exactIn()]), kind: 'EVM_DELEGATECALL' },
  ]),
  calls('ANSWER_CALLDATA', 'the router is a name', [approval(), { ...route([exactIn()]), to: 'router.eth' }]),
];

const APPROVALS: readonly Hostile[] = [
  before('ANSWER_SPENDER', 'another one is approved', approval(THIEF)),
  before('ANSWER_APPROVAL', 'the approval has no limit', approval(ROUTER, UNLIMITED)),
  before('ANSWER_APPROVAL', 'the approval is for one unit more', approval(ROUTER, AMOUNT + 1n)),
  before('ANSWER_TOKEN', 'another token is approved', approval(ROUTER, AMOUNT, DAI)),
  calls('ANSWER_APPROVAL', 'an approval before the approval is no reset', [
    approval(ROUTER, 5n),
    approval(),
    route([exactIn()]),
  ]),
  calls('ANSWER_CALLS', 'there is a third approval', [
    approval(ROUTER, 0n),
    approval(),
    approval(),
    route([exactIn()]),
  ]),
  before('ANSWER_CALLS', 'an allowance is increased', {
    ...approval(),
    data: foreign('increaseAllowance(address spender, uint256 added)', [ROUTER, AMOUNT]),
  }),
  before('ANSWER_CALLS', 'all of a collection is approved', {
    ...approval(),
    data: foreign('setApprovalForAll(address operator, bool approved)', [THIEF, true]),
  }),
  before('ANSWER_CALLS', 'a permit (EIP-2612) is executed', {
    ...approval(),
    data: foreign(
      'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
      [RELAYER, THIEF, UNLIMITED, DEADLINE, 27, `0x${'11'.repeat(32)}`, `0x${'11'.repeat(32)}`],
    ),
  }),
  before('ANSWER_CALLS', 'Permit2 is told to approve', {
    ...approval(),
    data: foreign('approve(address token, address spender, uint160 amount, uint48 expiration)', [
      ...[USDC, THIEF, AMOUNT, 2_000_000_000],
    ]),
  }),
  before('ANSWER_CALLS', 'a transfer comes first', call(USDC, encode('transfer', [THIEF, AMOUNT]))),
  before('ANSWER_CALLS', 'native currency is sent first', call(THIEF, '0x', 1n)),
  before('ANSWER_CALLS', 'the approval sends native currency', { ...approval(), value: '1' }),
  before('ANSWER_SPENDER', 'the approved address has dirt before it', {
    ...approval(),
    data: withDirt(encode('approve', [ROUTER, AMOUNT]), ROUTER),
  }),
  before('ANSWER_CALLS', 'the approval has a word behind its end', {
    ...approval(),
    data: `${approval().data}${'0'.repeat(64)}`,
  }),
  hostile('ANSWER_CALLS', 'a swap of native currency comes with an approval', {
    asked: nativeIn.asked,
    calls: [approval(ROUTER, AMOUNT, WETH), ...nativeIn.calls],
  }),
];

const RECIPIENTS: readonly Hostile[] = [
  inside('ANSWER_RECIPIENT', 'the swap pays another one', exactIn({ recipient: THIEF })),
  inside(
    'ANSWER_RECIPIENT',
    'half of it goes to another one',
    exactIn({ amount: 500_000n, bound: LEAST }),
    exactIn({ amount: 500_000n, bound: 0n, recipient: THIEF }),
  ),
  inside(
    'ANSWER_RECIPIENT',
    'what is left is swept to another one',
    exactIn(),
    encode('sweepToken', [USDC, 0n, THIEF]),
  ),
  hostile('ANSWER_RECIPIENT', 'what is unwrapped goes to another one', {
    asked: nativeOut.asked,
    calls: [approval(), route([exactIn({ recipient: RELAYER }), encode('unwrapWETH9', [LEAST, THIEF])])],
  }),
  calls('ANSWER_CALLDATA', 'the recipient has dirt before it', withData(withDirt(swapData, PAYEE))),
  hostile('ANSWER_RECIPIENT', 'a transfer pays another one', {
    asked: { ...transfer.asked, tag: '0'.repeat(32) },
    calls: [call(USDC, `${encode('transfer', [THIEF, AMOUNT])}${'0'.repeat(32)}`)],
  }),
  hostile('ANSWER_RECIPIENT', 'what is wrapped is to be somebody else’s', {
    asked: { ...wrap.asked, recipient: PAYEE },
    calls: wrap.calls,
  }),
  hostile('RECIPIENT_NOT_ALLOWED', 'a recipient that the policy does not name is asked for', {
    asked: { ...ASKED, recipient: THIEF },
    calls: [approval(), route([exactIn({ recipient: THIEF })])],
  }),
];

const AMOUNTS: readonly Hostile[] = [
  inside('ANSWER_AMOUNT', 'the swap takes more', exactIn({ amount: AMOUNT + 1n })),
  inside('ANSWER_AMOUNT', 'the swap takes less', exactIn({ amount: AMOUNT - 1n })),
  inside('ANSWER_AMOUNT', 'a second swap takes as much again', exactIn(), exactIn({ bound: 0n })),
  inside('ANSWER_AMOUNT', 'the router pulls as much again', exactIn(), encode('pull', [USDC, AMOUNT])),
  inside('ANSWER_AMOUNT', 'the answer fixes the output', exactOut({ amount: LEAST, bound: AMOUNT })),
  inside('ANSWER_LIMIT', 'the swap has no minimum', exactIn({ bound: 0n })),
  inside('ANSWER_LIMIT', 'the minimum is one unit less', exactIn({ bound: LEAST - 1n })),
  inside('ANSWER_TOKEN', 'the swap takes another token', exactIn({ tokenIn: DAI })),
  inside('ANSWER_LIMIT', 'the swap gives another token', exactIn({ tokenOut: DAI })),
  inside('ANSWER_TOKEN', 'the router pulls another token', exactIn(), encode('pull', [DAI, 1n])),
  inside(
    'ANSWER_CALLS',
    'native currency is wrapped, and none was to be',
    exactIn(),
    encode('wrapETH', [1n]),
  ),
  calls('ANSWER_AMOUNT', 'native currency goes along with a token', [
    approval(),
    route([exactIn()], undefined, 1n),
  ]),
  hostile(
    'ANSWER_AMOUNT',
    'more native currency is sent than is swapped',
    changed(nativeIn, { value: String(AMOUNT + 1n) }),
  ),
  hostile('ANSWER_CALLS', 'what is left of native currency stays in the router', {
    asked: nativeExactOut.asked,
    calls: [route([exactOut({ tokenIn: WETH, tokenOut: USDC, bound: AMOUNT })], undefined, AMOUNT)],
  }),
  hostile('ANSWER_LIMIT', 'an exact output may cost more', {
    asked: honestOut.asked,
    calls: [approval(ROUTER, AMOUNT * 2n), route([exactOut({ bound: AMOUNT * 2n })])],
  }),
  hostile('ANSWER_AMOUNT', 'an exact output is less', {
    asked: honestOut.asked,
    calls: [approval(), route([exactOut({ amount: AMOUNT - 1n, bound: AMOUNT })])],
  }),
  hostile('ANSWER_AMOUNT', 'nobody checks what pairs pay for an exact output', {
    asked: honestOut.asked,
    calls: [approval(), route([exactOutOfPairs({ bound: AMOUNT })])],
  }),
  ofPairs('what pairs have paid is swept without a minimum', encode('sweepToken', [WETH, 0n, PAYEE])),
  ofPairs('the minimum of the sweep is one unit less', encode('sweepToken', [WETH, AMOUNT - 1n, PAYEE])),
  ofPairs('another token is swept', encode('sweepToken', [DAI, AMOUNT, PAYEE])),
  ofPairs('the sweep pays the sender', encode('sweepToken', [WETH, AMOUNT, RELAYER])),
  ofPairs('native currency is unwrapped, and none was to be', encode('unwrapWETH9', [AMOUNT, PAYEE])),
  ofPairs('what pairs have paid stays in the router'),
  hostile('ANSWER_AMOUNT', 'a part of an exact output is of pairs, and unchecked', {
    asked: honestOut.asked,
    calls: [
      approval(),
      route([
        exactOutOfPairs({ amount: 1n, bound: 1n }),
        exactOut({ amount: AMOUNT - 1n, bound: AMOUNT - 1n }),
      ]),
    ],
  }),
  hostile('ANSWER_AMOUNT', 'a transfer sends another amount', {
    asked: { ...transfer.asked, tag: '0'.repeat(32) },
    calls: [call(USDC, `${encode('transfer', [PAYEE, AMOUNT * 2n])}${'0'.repeat(32)}`)],
  }),
  hostile('ANSWER_TOKEN', 'a transfer sends another token', changed(transfer, { to: DAI })),
  hostile('ANSWER_AMOUNT', 'more is unwrapped', {
    asked: unwrap.asked,
    calls: [call(WETH, encode('withdraw', [AMOUNT + 1n]))],
  }),
  hostile('ANSWER_ROUTER', 'another contract is to wrap', changed(wrap, { to: THIEF })),
  calls('ANSWER_CALLDATA', 'the value is no number', [approval(), { ...route([exactIn()]), value: '1e18' }]),
];

const BYTES: readonly Hostile[] = [
  inside(
    'ANSWER_CALLDATA',
    'a multicall is inside of the multicall',
    exactIn(),
    multicall([exactIn({ recipient: THIEF })]),
  ),
  inside(
    'ANSWER_CALLDATA',
    'a multicall without a deadline is inside',
    exactIn(),
    foreign('multicall(bytes[] data)', [[exactIn()]]),
  ),
  inside(
    'ANSWER_CALLDATA',
    'a permit is inside',
    exactIn(),
    foreign('selfPermit(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)', [
      USDC,
      AMOUNT,
      DEADLINE,
      27,
      `0x${'11'.repeat(32)}`,
      `0x${'11'.repeat(32)}`,
    ]),
  ),
  inside(
    'ANSWER_CALLDATA',
    'the router is to approve',
    exactIn(),
    foreign('approveMax(address token)', [USDC]),
  ),
  inside(
    'ANSWER_CALLDATA',
    'the router is to call another contract',
    exactIn(),
    foreign('callPositionManager(bytes data)', ['0x1234']),
  ),
  inside(
    'ANSWER_CALLDATA',
    'a fee is swept',
    exactIn(),
    foreign(
      'sweepTokenWithFee(address token, uint256 minimum, address recipient, uint256 feeBips, address feeRecipient)',
      [WETH, 0n, PAYEE, 100n, THIEF],
    ),
  ),
  inside(
    'ANSWER_CALLDATA',
    'a fee is unwrapped',
    exactIn(),
    foreign('unwrapWETH9WithFee(uint256 minimum, address recipient, uint256 feeBips, address feeRecipient)', [
      0n,
      PAYEE,
      100n,
      THIEF,
    ]),
  ),
  inside('ANSWER_CALLDATA', 'the swap may stop at a price', exactIn({ priceLimit: 1n })),
  inside('ANSWER_CALLDATA', 'a call inside is empty', exactIn(), '0x'),
  calls(
    'ANSWER_CALLDATA',
    'the multicall has no deadline',
    withData(foreign('multicall(bytes[] data)', [[exactIn()]])),
  ),
  calls(
    'ANSWER_CALLDATA',
    'the multicall has a block in place of a deadline',
    withData(
      foreign('multicall(bytes32 previousBlockhash, bytes[] data)', [`0x${'11'.repeat(32)}`, [exactIn()]]),
    ),
  ),
  calls('ANSWER_CALLDATA', 'the swap is called without the multicall', withData(exactIn())),
  calls('ANSWER_CALLDATA', 'the selector is unknown', withData(`0xdeadbeef${swapData.slice(10)}`)),
  calls('ANSWER_CALLDATA', 'the calldata is empty', withData('0x')),
  calls('ANSWER_CALLDATA', 'a byte is behind the end', withData(concatHex([swapData, '0x00']))),
  calls('ANSWER_CALLDATA', 'a word is behind the end', withData(`${swapData}${'0'.repeat(64)}`)),
  calls('ANSWER_CALLDATA', 'a word of the end is missing', withData(swapData.slice(0, -64))),
  calls('ANSWER_CALLDATA', 'two places of the list are the same call', withData(overlapping())),
  calls('ANSWER_CALLDATA', 'the padding has dirt', withData(`${swapData.slice(0, -1)}1`)),
  asking('ANSWER_TAG', 'the swap has no tag', { tag: 'ff'.repeat(16) }),
  hostile('ANSWER_TAG', 'a transfer has the tag of another plan', {
    asked: { ...transfer.asked, tag: 'ff'.repeat(16) },
    calls: transfer.calls,
  }),
  calls('ANSWER_CALLDATA', 'a tag is there that was not to be', withData(`${swapData}${'ff'.repeat(16)}`)),
];

/** A list of two calls whose second place leads to the first call: both readers would see other calls. */
function overlapping(): Hex {
  const whole = multicall([exactIn(), exactIn()]);
  const at = 2 + 8 + 64 * 3;
  return `${whole.slice(0, at + 64)}${whole.slice(at, at + 64)}${whole.slice(at + 128)}` as Hex;
}

const TIMES: readonly Hostile[] = [
  calls('ANSWER_EXPIRED', 'the deadline has passed', [approval(), route([exactIn()], NOW)]),
  calls('ANSWER_DEADLINE', 'the deadline is far', [approval(), route([exactIn()], NOW + 1201n)]),
  asking('ANSWER_DEADLINE', 'the deadline is after the one that was asked for', {
    notAfterSeconds: DEADLINE - 1n,
  }),
];

const used = (...spent: readonly bigint[]) => ({ usage: spent.map((each) => ({ spent: each, count: 1 })) });
const paid = (change: bigint) => ({ account: PAYEE, token: WETH, change });
const TAKEN = { account: RELAYER, token: USDC, change: -AMOUNT };

const RULES: readonly Hostile[] = [
  hostile(
    'TOKEN_NOT_ALLOWED',
    'a token is spent that may only be received',
    {
      asked: { ...ASKED, tokenIn: WBTC },
      calls: [approval(ROUTER, AMOUNT, WBTC), route([exactIn({ tokenIn: WBTC })])],
    },
    { usage: [] },
  ),
  hostile('TOKEN_NOT_ALLOWED', 'a token is received that the policy does not name', {
    asked: { ...ASKED, tokenOut: UNKNOWN_TOKEN },
    calls: [approval(), route([exactIn({ tokenOut: UNKNOWN_TOKEN })])],
  }),
  hostile(
    'AMOUNT_ABOVE_MOST',
    'more is spent than one execution may',
    {
      asked: { ...ASKED, amount: 2_000_001n },
      calls: [approval(ROUTER, 2_000_001n), route([exactIn({ amount: 2_000_001n })])],
    },
    { ownQuote: AMOUNT, changes: [{ ...TAKEN, change: -2_000_001n }, paid(AMOUNT)] },
  ),
  knowing('WINDOW_AMOUNT', 'the day’s limit of all is used', used(4_000_001n, 0n, 0n)),
  knowing('WINDOW_AMOUNT', 'the day’s limit of the relayer is used', used(0n, 3_000_001n, 0n)),
  knowing('WINDOW_AMOUNT', 'the day’s limit of the recipient is used', used(0n, 0n, 2_000_001n)),
  knowing('WINDOW_COUNT', 'the recipient was paid often enough today', {
    usage: [
      { spent: 0n, count: 0 },
      { spent: 0n, count: 0 },
      { spent: 0n, count: 10 },
    ],
  }),
  knowing('USAGE_UNKNOWN', 'it is not known what was spent', used(0n, 0n)),
  knowing('OPTIMALITY_GAP', 'the quote is far from the best one', { optimalityGapBps: 20.001 }),
  hostile('OPTIMALITY_GAP', 'the quote does not prove how good it is', honest, absent('optimalityGapBps')),
  knowing('TRUST', 'one node alone said what the quote stands on', { trust: 'SINGLE_NODE' }),
  hostile('TRUST', 'the quote does not say what it stands on', honest, absent('trust')),
  knowing('SLIPPAGE', 'the own node quotes much more', { ownQuote: 1_000_001n }),
  hostile('SLIPPAGE', 'the own node does not quote', honest, absent('ownQuote')),
  hostile('SLIPPAGE', 'the own node quotes an exact output much cheaper', honestOut, { ownQuote: 990_000n }),
  hostile('NOT_SIMULATED', 'it was not simulated', honest, absent('changes')),
  knowing('SIMULATION_FAILED', 'a simulation reverts', { changes: 'REVERTED' }),
  knowing('SIMULATION_DIFFERS', 'a simulation pays less', { changes: [TAKEN, paid(LEAST - 1n)] }),
  knowing('SIMULATION_DIFFERS', 'a simulation pays nobody', { changes: [TAKEN] }),
  knowing('SIMULATION_DIFFERS', 'a simulation takes more', {
    changes: [{ ...TAKEN, change: -AMOUNT - 1n }, paid(AMOUNT)],
  }),
  knowing('SIMULATION_DIFFERS', 'a simulation takes another token, too', {
    changes: [TAKEN, paid(AMOUNT), { account: RELAYER, token: DAI, change: -1n }],
  }),
  knowing('GAS_ABOVE_MOST', 'it takes much gas', { gas: 500_001n }),
  knowing('BALANCE_NOT_KEPT', 'the relayer would have too little left', { balanceWei: 1_019_999_999n }),
  hostile('BALANCE_NOT_KEPT', 'the native currency that is swapped would be missing', nativeIn, {
    ...{ balanceWei: 1_020_000_000n + AMOUNT - 1n, usage: [] },
  }),
];

const [SENT] = topUp.calls;
const toppedUp = (name: string, given: readonly unknown[]): Hostile =>
  hostile('ANSWER_CALLS', name, { ...topUp, calls: given as readonly GivenCall[] });
const notNamed = (name: string, changed: Partial<Proposal['asked']>): Hostile =>
  hostile('TOP_UP_NOT_ALLOWED', name, { ...topUp, asked: { ...topUp.asked, ...changed } });

const TOP_UPS: readonly Hostile[] = [
  notNamed('a top-up is larger than the one that is named', { amount: AMOUNT + 1n }),
  notNamed('a stranger is topped up', { recipient: THIEF }),
  notNamed('another relayer pays for a top-up', { sender: PAYEE }),
  toppedUp('a top-up goes to a thief', [{ ...SENT, to: THIEF }]),
  toppedUp('a top-up sends more', [{ ...SENT, value: String(AMOUNT + 1n) }]),
  toppedUp('a top-up calls something', [{ ...SENT, data: '0x00' }]),
  toppedUp('a top-up is for another chain', [{ ...SENT, chainId: 2 }]),
  toppedUp('a top-up is delegated', [{ ...SENT, kind: 'EVM_DELEGATECALL' }]),
  toppedUp('a top-up comes twice', [SENT, SENT]),
  toppedUp('a top-up sends nothing', []),
  hostile('WINDOW_COUNT', 'it was topped up often enough today', topUp, {
    usage: [{ spent: 0n, count: 3 }],
  }),
  hostile('BALANCE_NOT_KEPT', 'who tops up would have too little left', topUp, {
    balanceWei: 1_020_000_000n + AMOUNT - 1n,
  }),
  {
    ...hostile('SLIPPAGE', 'a limit is less than half of the quote, and no rule is named', honest, {
      ownQuote: 2n * AMOUNT,
    }),
    policy: policyWithoutSlippage,
  },
];

/** Nothing known where an honest proposal has something. */
function absent(name: 'optimalityGapBps' | 'trust' | 'ownQuote' | 'changes'): Partial<Known> {
  return { [name]: undefined };
}

/** The table of hostile instructions. */
export const HOSTILE: readonly Hostile[] = [
  ...PLACES,
  ...APPROVALS,
  ...RECIPIENTS,
  ...AMOUNTS,
  ...BYTES,
  ...TIMES,
  ...RULES,
  ...TOP_UPS,
];
