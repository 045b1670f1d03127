import type { AuditFact } from './facts.ts';

/** A line that stands for facts that were counted and not written one by one. */
export type Repeated = { readonly event: 'REPEATED'; readonly of: string; readonly count: number };

/** What is written: a fact, with the number of equal sign-ins since the line before, or a count. */
export type Kept = (AuditFact & { readonly signIns?: number }) | Repeated;

/** Decides which facts are written, so that a flood neither fills the disk nor hides other facts. */
export type Thinning = {
  add(fact: AuditFact): void;
  /** Ends the window of counting: writes one line for each kind of fact that was counted. */
  endWindow(): void;
};

/** Refused requests that are written one by one in a window: of each kind, and of each kind from one address. */
const REFUSALS_IN_WINDOW = 60;
const REFUSALS_FROM_ADDRESS = 6;
/** How often the sign-ins of a credential from one address are written. */
const SIGN_IN_EVERY_MS = 3_600_000;
/** How many pairs of credential and address are remembered; then all are forgotten. */
const SIGN_INS_REMEMBERED = 10_000;

type Window = { written: number; counted: number; readonly byAddress: Map<string, number> };

/** Makes the thinning of one process; `nowMs` never goes back. What is kept is handed to `keep`. */
export function createThinning(keep: (kept: Kept) => void, nowMs: () => number): Thinning {
  const windows = new Map<string, Window>();
  const signIns = new Map<string, { writtenMs: number; since: number }>();

  function addRefusal(kind: string, fact: AuditFact, address: string): void {
    const window: Window = windows.get(kind) ?? { written: 0, counted: 0, byAddress: new Map() };
    windows.set(kind, window);
    const fromAddress = window.byAddress.get(address) ?? 0;
    if (window.written >= REFUSALS_IN_WINDOW || fromAddress >= REFUSALS_FROM_ADDRESS) {
      window.counted += 1;
      return;
    }
    window.written += 1;
    window.byAddress.set(address, fromAddress + 1);
    keep(fact);
  }

  function addSignIn(fact: AuditFact, pair: string): void {
    const known = signIns.get(pair);
    if (known !== undefined && nowMs() - known.writtenMs < SIGN_IN_EVERY_MS) {
      known.since += 1;
      return;
    }
    if (signIns.size >= SIGN_INS_REMEMBERED) signIns.clear();
    signIns.set(pair, { writtenMs: nowMs(), since: 0 });
    keep({ ...fact, signIns: (known?.since ?? 0) + 1 });
  }

  return {
    add(fact) {
      switch (fact.event) {
        case 'SIGN_IN_GRANTED':
          return addSignIn(fact, `${fact.credentialId} ${fact.address}`);
        case 'SIGN_IN_REFUSED':
        case 'REQUEST_REFUSED':
          return addRefusal(`${fact.event} ${fact.status}`, fact, sourceOf(fact));
        case 'REVEAL_REFUSED':
          return addRefusal(fact.event, fact, fact.credentialId ?? '');
        default:
          return keep(fact);
      }
    },
    endWindow() {
      for (const [of, { counted }] of windows)
        if (counted > 0) keep({ event: 'REPEATED', of, count: counted });
      windows.clear();
    },
  };
}

/** Where a refused request came from, as far as it is known. */
function sourceOf(fact: Extract<AuditFact, { readonly status: number }>): string {
  return 'claimedOrganisationId' in fact ? fact.claimedOrganisationId : (fact.address ?? '');
}
