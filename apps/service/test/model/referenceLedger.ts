// A second ledger, apart from packages/plan: it is told what is on the chain and what was acknowledged, not what the
// service saw.

/** A transfer of a token in a block. */
export type RefTransfer = {
  readonly tx: string;
  readonly log: number;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  /** The first block that its transaction was ever in. When it is mined again, it still belongs to the same plan. */
  readonly since?: number;
};

/** An executed swap of a plan: what it spent, and what it brought. */
export type RefExecution = {
  readonly tx: string;
  readonly log: number;
  /** Whose instructions were executed, and which of them. */
  readonly attempt: string;
  readonly spent: bigint;
  readonly brought: bigint;
};

type PlacedTransfer = RefTransfer & { readonly block: number };
type PlacedExecution = RefExecution & { readonly block: number };
/** A block of the canonical chain. */
export type RefBlock = {
  readonly number: number;
  readonly hash: string;
  readonly transfers: readonly RefTransfer[];
  readonly executions: readonly RefExecution[];
};

/** What went back to the payer. */
export type RefRefund = {
  readonly token: string;
  readonly amount: bigint;
  /** Whether it was of the deposits, not of what the swap brought. */
  readonly isPayers: boolean;
  /**
   * The transactions that had brought something when it was acknowledged. The refund gives nothing back of later ones.
   */
  readonly known: readonly string[];
};

/** What the service acknowledged of a plan. `open`: the blocks between which it was open, the last without an end. */
export type RefPlan = {
  readonly id: string;
  readonly address: string;
  readonly source: string;
  readonly target: string;
  readonly amountIn: bigint;
  readonly open: readonly { readonly from: number; readonly to?: number }[];
  /** Whether it ended for another reason than that it was paid. */
  readonly isEnded?: boolean;
  /** The transaction that a plan which was closed names as its swap: it keeps that, whatever the chain has before it. */
  readonly swap?: string | undefined;
  /** The instructions that the plan has given out. A restored database knows no others. */
  readonly attempts: readonly string[];
  readonly paid: readonly bigint[];
  readonly deducted: readonly bigint[];
  readonly returned: readonly bigint[];
  readonly refunds: readonly RefRefund[];
  /** How many payments and returns there were when the newest attempt to pay began. */
  readonly begun: { readonly paid: number; readonly returned: number };
  /** Whether the payments do not account for all that was due. */
  readonly isShort: boolean;
  /** Whether a recipient who was e-mailed has ever chosen, which stands whatever becomes of the swap. */
  readonly isChosen?: boolean;
  /** Whether the newest payment failed, and nothing was tried since. */
  readonly isFailed?: boolean;
  /** Transactions before the plan that the service has taken for its deposits. */
  readonly older?: readonly string[];
  /** The native currency that was seen at its address once it was over. */
  readonly native?: bigint;
  /** Whether its deposit did not come in time, and was not tried again since. */
  readonly isLate?: boolean;
  /** The transactions of its deposit that a reorganisation has taken back. `isRecent`: less than an hour ago. */
  readonly takenBack?: readonly { readonly tx: string; readonly isRecent: boolean }[];
};

export const NATIVE = `0x${'ee'.repeat(20)}`;

/** Where the money of a plan is, by one token. `surplus`: nobody asked for it. `excess`: spent without an arrival. */
export type RefFunds = {
  readonly received: bigint;
  readonly spent: bigint;
  readonly brought: bigint;
  readonly paid: bigint;
  readonly returned: bigint;
  readonly refunded: bigint;
  readonly deducted: bigint;
  readonly outstanding: bigint;
  readonly surplus: bigint;
  readonly excess: bigint;
};

/** What is expected of a plan: its funds by token, its possible statuses, and the transfers that are its own. */
export type Expected = {
  readonly funds: ReadonlyMap<string, RefFunds>;
  readonly statuses: readonly string[];
  readonly deposits: readonly string[];
};

/** What is expected of each plan, by its id. */
export function expected(chain: readonly RefBlock[], plans: readonly RefPlan[]): Map<string, Expected> {
  return new Map(plans.map((plan) => [plan.id, expectedOf(chain, plans, plan)]));
}

function expectedOf(chain: readonly RefBlock[], plans: readonly RefPlan[], plan: RefPlan): Expected {
  const all = chain.flatMap(({ number, transfers }) =>
    transfers
      .map((transfer): PlacedTransfer => ({ ...transfer, block: number }))
      .filter((transfer) => transfer.to === plan.address && isMoney(transfer))
      .filter(
        ({ tx, since = number }) =>
          ownerOf(plans, plan.address, since) === plan.id || plan.older?.includes(tx) === true,
      ),
  );
  const arrivals = withoutStorms(plan, all);
  const executions = chain.flatMap(({ number, executions: all }) =>
    all
      .filter(({ attempt }) => plan.attempts.includes(attempt))
      .map((execution): PlacedExecution => ({ ...execution, block: number })),
  );
  const deposits = arrivals.filter(({ token }) => token === plan.source);
  const funds = new Map<string, RefFunds>();
  const source = sourceFunds(plan, deposits, executions);
  const target = targetFunds(plan, executions);
  funds.set(plan.source, source);
  // A plan that only transfers has one token for both.
  funds.set(plan.target, plan.source === plan.target ? together(source, target) : target);
  const native = plan.native === undefined ? [] : [{ token: NATIVE, amount: plan.native }];
  const strays = [...arrivals, ...native];
  for (const token of new Set([...strays, ...plan.refunds].map((each) => each.token))) {
    if (token === plan.source) continue;
    const before = funds.get(token) ?? NOTHING;
    const received = sum(strays.filter((each) => each.token === token).map(({ amount }) => amount));
    const refunded = refundsOf(plan, token, true);
    const left = received - refunded;
    const [surplus, excess] = left > 0n ? [left, 0n] : [0n, -left];
    funds.set(token, {
      ...before,
      received,
      refunded: before.refunded + refunded,
      surplus: before.surplus + surplus,
      excess: before.excess + excess,
    });
  }
  return {
    funds,
    statuses: statusesOf(plan, deposits, executions.length),
    deposits: arrivals.map(({ tx, log, from }) => `${tx} ${log} from ${from}`).sort(),
  };
}

/** A transfer from an address to itself moves nothing. */
function isMoney({ from, to, amount }: RefTransfer): boolean {
  return from !== to && amount > 0n;
}

/**
 * A plan has the first hundred transfers of dust and of other tokens, and each that makes its deposit whole. It also has each
 * that is more than all of another token before it: without that rule, a hundred units by anybody hid real money.
 */
function withoutStorms(plan: RefPlan, all: readonly PlacedTransfer[]): readonly PlacedTransfer[] {
  const kept: PlacedTransfer[] = [];
  const isSmall = ({ token, amount }: RefTransfer) =>
    token !== plan.source || amount * 1_000n < plan.amountIn;
  let small = 0;
  for (const [place, transfer] of all.entries()) {
    const before = sum(kept.filter(({ token }) => token === plan.source).map(({ amount }) => amount));
    const after = transfer.token === plan.source ? before + transfer.amount : before;
    const isLast = before < plan.amountIn && after >= plan.amountIn;
    const earlier = all.slice(0, place).filter(({ token }) => token === transfer.token);
    const isMost =
      transfer.token !== plan.source && transfer.amount > sum(earlier.map(({ amount }) => amount));
    const counts = !isSmall(transfer) || isLast || isMost;
    if (!counts) small += 1;
    if (counts || small <= 100) kept.push(transfer);
  }
  return kept;
}

/** The plan that a transfer to an address belongs to: the one that was open, else the one that ended last before. */
function ownerOf(plans: readonly RefPlan[], address: string, height: number): string | undefined {
  const here = plans.filter((plan) => plan.address === address);
  const open = here.find(({ open: times }) =>
    times.some(({ from, to = Infinity }) => from <= height && height <= to),
  );
  if (open !== undefined) return open.id;
  const ends = here.flatMap(({ id, open: times }) => times.map(({ to = Infinity }) => ({ id, to })));
  return ends.filter(({ to }) => to < height).sort((a, b) => b.to - a.to)[0]?.id;
}

function sum(amounts: readonly bigint[]): bigint {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
}

const NOTHING: RefFunds = {
  ...{ received: 0n, spent: 0n, brought: 0n, paid: 0n, returned: 0n, refunded: 0n, deducted: 0n },
  ...{ outstanding: 0n, surplus: 0n, excess: 0n },
};

/**
 * Deposits up to the plan's own execution pay for it, oldest first. The rest of the planned amount is for a swap that is to come.
 * The spending of other executions is not set off against a deposit.
 */
function sourceFunds(
  plan: RefPlan,
  deposits: readonly PlacedTransfer[],
  executions: readonly PlacedExecution[],
): RefFunds {
  const first = firstOf(plan, executions);
  const isLate = ({ block }: PlacedTransfer) => first !== undefined && block > first.block;
  const purses = deposits.filter((each) => !isLate(each)).map(({ amount }) => amount);
  let excess = 0n;
  for (const each of executions) excess += each === first ? takeFrom(purses, each.spent) : each.spent;
  purses.push(...deposits.filter(isLate).map(({ amount }) => amount));
  const refunded = refundsOf(plan, plan.source, true);
  excess += takeFrom(purses, refunded);
  const isWaiting = executions.length === 0 && plan.isEnded !== true;
  const wanted = isWaiting ? plan.amountIn : 0n;
  const missing = takeFrom(purses, wanted);
  return {
    ...NOTHING,
    received: sum(deposits.map(({ amount }) => amount)),
    spent: sum(executions.map(({ spent }) => spent)),
    refunded,
    outstanding: wanted - missing,
    surplus: sum(purses),
    excess,
  };
}

/** The plan's own execution. */
function firstOf<Execution extends RefExecution>(
  { swap }: RefPlan,
  executions: readonly Execution[],
): Execution | undefined {
  return executions.find(({ tx }) => tx === swap) ?? executions[0];
}

/** The first execution is the plan's. Payments take from it and from what came back; what others brought pays for nothing. */
function targetFunds(plan: RefPlan, executions: readonly RefExecution[]): RefFunds {
  const first = firstOf(plan, executions);
  const others = executions.filter((each) => each !== first);
  const returned = sum(plan.returned);
  const own = [first?.brought ?? 0n, returned];
  let spare = others.map(({ tx, brought }) => ({ tx, left: brought }));
  let excess = 0n;
  for (const { token, amount, isPayers, known } of plan.refunds) {
    if (token !== plan.target || isPayers) continue;
    let rest = amount;
    spare = spare.map((each) => {
      if (!known.includes(each.tx)) return each;
      const purse = [each.left];
      rest = takeFrom(purse, rest);
      return { ...each, left: sum(purse) };
    });
    excess += takeFrom(own, rest);
  }
  for (const units of [...plan.paid, ...plan.deducted]) excess += takeFrom(own, units);
  const isOver = plan.isEnded === true;
  return {
    ...NOTHING,
    brought: sum(executions.map(({ brought }) => brought)),
    paid: sum(plan.paid),
    returned,
    refunded: refundsOf(plan, plan.target, false),
    deducted: sum(plan.deducted),
    outstanding: isOver ? 0n : sum(own),
    surplus: sum(spare.map(({ left }) => left)) + (isOver ? sum(own) : 0n),
    excess,
  };
}

function together(a: RefFunds, b: RefFunds): RefFunds {
  const names = Object.keys(NOTHING) as (keyof RefFunds)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as RefFunds;
}

function refundsOf({ refunds }: RefPlan, token: string, isPayers: boolean): bigint {
  const alike = refunds.filter((refund) => refund.token === token && refund.isPayers === isPayers);
  return sum(alike.map(({ amount }) => amount));
}

/** Takes units from the purses, oldest first, and answers what could not be taken. */
function takeFrom(purses: bigint[], units: bigint): bigint {
  let rest = units;
  for (const [index, purse] of purses.entries()) {
    const part = purse < rest ? purse : rest;
    purses[index] = purse - part;
    rest -= part;
  }
  return rest;
}

/** The statuses that a plan may have. UNFUNDED: it asks for its first money. Confirmations and failures that were told decide between them. */
function statusesOf(plan: RefPlan, deposits: readonly RefTransfer[], executions: number): readonly string[] {
  const { begun, returned, paid, amountIn, takenBack = [] } = plan;
  if (plan.isEnded === true) return ['ENDED'];
  if (returned.length > begun.returned) return ['RETURNED'];
  if (plan.isFailed === true) return ['ACTION_REQUIRED'];
  if (paid.length > begun.paid && !plan.isShort) return ['COMPLETED'];
  if (plan.isChosen === true && executions === 0) return ['ACTION_REQUIRED'];
  if (executions > 0) return ['IN_PROGRESS', 'ACTION_REQUIRED'];
  if (sum(deposits.map(({ amount }) => amount)) >= amountIn) return ['IN_PROGRESS', 'ACTION_REQUIRED'];
  const isBegun = deposits.some(({ amount }) => amount * 1_000n >= amountIn);
  const asked = isBegun ? ['ACTION_REQUIRED'] : ['UNFUNDED', 'ACTION_REQUIRED'];
  // This ledger once wanted the payer to be asked at once for what a reorganisation had taken back. That was wrong: the
  // transaction is mostly mined again, and whoever obeyed had paid twice.
  const missing = takenBack.filter(({ tx }) => !deposits.some((each) => each.tx === tx));
  if (missing.length === 0 || plan.isLate === true) return asked;
  return missing.some(({ isRecent }) => isRecent) ? ['IN_PROGRESS'] : ['IN_PROGRESS', ...asked];
}
