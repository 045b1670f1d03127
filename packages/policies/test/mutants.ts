// The rules with one of them taken out: the table has to notice each.

/** One fault: a text in a file and what stands in its place. Files of `policies` or of the checks of `sdk`. */
export type Mutant = { readonly file: string; readonly from: string; readonly to: string };

const RULES = 'policies/src/rules.ts';
const JUDGE = 'policies/src/judge.ts';
const LIMITS = 'policies/src/limits.ts';
const MESSAGES = 'policies/src/messages.ts';
const TOP_UPS = 'policies/src/topUps.ts';
const CHECKS = 'sdk/src/execution/checkSwap.ts';
const ROUTER = 'sdk/src/execution/routerCalls.ts';
const BYTES = 'sdk/src/execution/calldata.ts';

const without = (file: string, from: string, to = ''): Mutant => ({ file, from, to });
/** A condition that never refuses. */
const never = (file: string, condition: string): Mutant =>
  without(file, `if (${condition})`, `if (false && (${condition}))`);

/** Every rule of the policy and every check of an answer, planted out once. */
export const MUTANTS: readonly Mutant[] = [
  ...[
    'spendsAllowedToken',
    'receivesAllowedToken',
    'paysAllowedRecipient',
    'spendsAllowedAmount',
    'isNearBest',
    'isTrusted',
    'isNearOwnQuote',
    'wasSimulated',
    'doesNotRevert',
    'changesBalancesAsAsked',
    'usesAllowedGas',
    'keepsBalance',
  ].map((rule) => without(RULES, `\n  ${rule},`)),
  without(RULES, ' && spend !== undefined'),
  without(RULES, 'gap !== undefined && gap <= most', 'gap === undefined || gap <= most'),
  without(RULES, "trust === 'AGREED' || trust === minTrust", "trust !== 'SINGLE_NODE'"),
  without(RULES, 'BigInt(limit.minAmountOut) : amount', '0n : amount'),
  without(RULES, ' : scene.checked.taken * ALL_BPS <= ', ' : 0n * ALL_BPS <= '),
  without(RULES, 'token === asked.tokenIn ? -checked.taken : 0n', '-checked.taken'),
  never(RULES, 'lost !== undefined'),
  without(RULES, ' - valueWei'),
  without(JUDGE, '...limitRefusals(limitsOf(policy, asked), known.usage, spending.amount),'),
  never(JUDGE, 'tag !== undefined && !calls.at(-1)?.data.toLowerCase().endsWith(tag)'),
  without(
    JUDGE,
    'notAfterSeconds !== undefined && notAfterSeconds < lifeEnds ? notAfterSeconds : lifeEnds',
    'lifeEnds',
  ),
  without(JUDGE, "router: router ?? ''", "router: calls.at(-1)?.to.toLowerCase() ?? ''"),
  without(JUDGE, 'chainId === asked.chainId)', 'chainId > 0)'),
  never(LIMITS, 'most !== undefined && spent + amount > most'),
  never(LIMITS, 'mostCount !== undefined && count + 1 > mostCount'),
  without(LIMITS, "[{ code: 'USAGE_UNKNOWN'", "[].length > 0 ? [] : [][0] ?? []; [{ code: 'USAGE_UNKNOWN'"),
  never(MESSAGES, 'granting !== undefined || [primaryType, ...Object.keys(types)].some(isGranting)'),
  without(MESSAGES, ' || [primaryType, ...Object.keys(types)].some(isGranting)'),
  without(MESSAGES, '|authorization'),
  without(MESSAGES, ', ...Object.keys(types)'),
  without(MESSAGES, ' || HASH_TEXT.test(message)'),
  without(MESSAGES, 'granting !== undefined || '),
  without(MESSAGES, 'BigInt(rule.chainId) === BigInt(domain.chainId ?? 0) &&'),
  without(MESSAGES, 'rule.verifyingContract === contract &&'),
  without(MESSAGES, ' &&\n      rule.primaryType === primaryType'),
  without(MESSAGES, ' && !isHash'),
  without(MESSAGES, 'areMessagesAllowed && !isHash', '!isHash'),
  without(RULES, ' = MOST_SLIPPAGE_BPS', ' = 10_000'),
  never(TOP_UPS, 'topUpIn(chain, asked)?.amountWei !== amount'),
  without(TOP_UPS, "call?.kind === 'EVM_CALL' &&", 'call !== undefined &&'),
  without(TOP_UPS, ' &&\n    call.chainId === chainId'),
  without(TOP_UPS, ' &&\n    call.to.toLowerCase() === recipient'),
  without(TOP_UPS, " &&\n    call.data === '0x'"),
  without(TOP_UPS, ' &&\n    call.value === String(amount)'),
  without(TOP_UPS, ' || others.length > 0'),
  without(TOP_UPS, 'from === sender && to === recipient', 'to === recipient'),
  without(LIMITS, 'topUp !== undefined', 'topUp !== undefined && false'),
  never(CHECKS, 'chainId !== order.chainId'),
  without(CHECKS, "kind === 'EVM_CALL' && "),
  without(CHECKS, '/^0x[0-9a-fA-F]{40}$/.test(to) && '),
  without(CHECKS, ' || !/^\\d{1,78}$/.test(value)'),
  never(CHECKS, 'target !== order.router'),
  never(CHECKS, 'deadlineSeconds <= nowSeconds'),
  never(CHECKS, 'deadlineSeconds > lastSeconds'),
  never(CHECKS, 'call.value !== value'),
  never(CHECKS, "tokenIn === NATIVE && order.tradeType === 'EXACT_OUT' && !effect.isRefunded"),
  never(CHECKS, 'call.token !== order.tokenIn'),
  never(CHECKS, 'order.tokenIn !== NATIVE'),
  without(CHECKS, "case 'PULL':", "case 'PULL':\n        break;\n      default:"),
  never(CHECKS, 'call.tradeType !== order.tradeType'),
  never(CHECKS, 'call.tokenIn !== input'),
  without(CHECKS, ' && call.tokenOut === order.tokenOut'),
  never(CHECKS, 'paid !== recipient && paid !== sender'),
  never(CHECKS, 'taken !== amount'),
  never(CHECKS, 'paid < least'),
  never(CHECKS, 'paid < amount'),
  never(CHECKS, 'taken > most'),
  never(CHECKS, 'order.recipient !== order.sender'),
  never(CHECKS, 'data !== expected || value !== (isIn ? order.amount : 0n)'),
  never(CHECKS, 'to.toLowerCase() !== tokenIn'),
  never(CHECKS, 'read.words.address(0) !== recipient'),
  never(CHECKS, 'read.words.uint(1) !== amount'),
  never(CHECKS, 'calls.length > (approved === 0n ? 0 : MOST_APPROVALS)'),
  without(CHECKS, 'read?.selector !== APPROVE || ', 'read === undefined || '),
  without(
    CHECKS,
    'read?.selector !== APPROVE || read.words.length !== 2 || value !== 0n',
    'read?.selector !== APPROVE || read.words.length !== 2',
  ),
  without(
    CHECKS,
    'read?.selector !== APPROVE || read.words.length !== 2 || value !== 0n',
    'read?.selector !== APPROVE || value !== 0n',
  ),
  never(CHECKS, 'to.toLowerCase() !== order.tokenIn'),
  never(CHECKS, 'read.words.address(0) !== order.router'),
  never(CHECKS, 'amount !== expected'),
  without(ROUTER, 'read?.selector !== MULTICALL', 'read === undefined'),
  without(ROUTER, 'words.uint(3 + index) !== BigInt(at * 32) || '),
  without(
    ROUTER,
    'call === undefined) return undefined',
    'call === undefined) {\n at += words.span(3 + at);\n continue;\n}',
  ),
  without(ROUTER, 'words.length === 3 + at ? ', 'words.length > 0 ? '),
  without(ROUTER, ' || words.uint(6) !== 0n'),
  without(ROUTER, '{ ...read, least: 0n }', 'read'),
  without(ROUTER, "tradeType === 'EXACT_OUT' ? { ...read", "tradeType !== '' ? { ...read"),
  without(BYTES, '((?:[0-9a-f]{64})*)$/', '((?:[0-9a-f]{64})*)/'),
  without(
    BYTES,
    '/^0{24}/.test(text) ? `0x${text.slice(-ADDRESS)}` : undefined',
    '`0x${text.slice(-ADDRESS)}`',
  ),
  without(
    BYTES,
    '/^0*$/.test(padded.slice(size * 2)) ? padded.slice(0, size * 2) : undefined',
    'padded.slice(0, size * 2)',
  ),
];
