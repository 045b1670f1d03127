import { wideNetworkOf } from '@fairway/api';
import type { AuditFact } from './facts.ts';

/** A line that stands for facts that were counted and not written one by one. */
export type Repeated = { readonly event: 'REPEATED'; readonly of: string; readonly count: number };

/** What is written: a fact, with the number of its credential's sign-ins since the line before, or a count. */
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
/** The window in which the sign-ins of a credential are written once for each network, and how many at most. */
const SIGN_INS_WINDOW_MS = 3_600_000;
const SIGN_INS_IN_WINDOW = 20;
/** How many credentials with sign-ins are remembered; then all are forgotten. */
const CREDENTIALS_REMEMBERED = 10_000;

/** The networks that the sign-ins of a credential came from; `since`: how many were not written since its last line. */
type SignIns = { readonly beganMs: number; readonly networks: Set<string>; since: number };

type Window = { written: number; counted: number; readonly byAddress: Map<string, number> };

/** Makes the thinning of one process; `nowMs` never goes back. Each kept fact is handed to `keep`. */
export function createThinning(keep: (kept: Kept) => void, nowMs: () => number): Thinning {
  const windows = new Map<string, Window>();
  const signIns = new Map<string, SignIns>();

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

  function addSignIn(fact: AuditFact, credential: string, network: string): void {
    const last = signIns.get(credential);
    const isOpen = last !== undefined && nowMs() - last.beganMs < SIGN_INS_WINDOW_MS;
    const open = isOpen ? last : { beganMs: nowMs(), networks: new Set<string>(), since: last?.since ?? 0 };
    if (signIns.size >= CREDENTIALS_REMEMBERED && last === undefined) signIns.clear();
    signIns.set(credential, open);
    open.since += 1;
    if (open.networks.has(network) || open.networks.size >= SIGN_INS_IN_WINDOW) return;
    open.networks.add(network);
    keep({ ...fact, signIns: open.since });
    open.since = 0;
  }

  return {
    add(fact) {
      switch (fact.event) {
        case 'SIGN_IN_GRANTED':
          return addSignIn(fact, fact.credentialId ?? '', wideNetworkOf(fact.address));
        case 'SIGN_IN_REFUSED':
        case 'REQUEST_REFUSED':
          return addRefusal(`${fact.event} ${fact.status}`, fact, sourceOf(fact));
        case 'REVEAL_REFUSED':
        case 'ERASURE_REFUSED':
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
function sourceOf({ address, organisationId }: Extract<AuditFact, { readonly status: number }>): string {
  return address ?? organisationId ?? '';
}
