// A database in memory that keeps what was committed, and refuses what the real one must refuse.
import assert from 'node:assert/strict';
import type { BoundInstruction, Instruction, Leaving, Outcome, Relayer, RelayStore } from '../src/index.ts';

export type Kept = Instruction & { readonly executionId: string; readonly outcome?: Outcome };

export type TestDatabase = ReturnType<typeof createTestDatabase>;

/** What was committed. */
type State = { relayer: Relayer; rows: Map<string, Kept> };

export function createTestDatabase(first: Relayer) {
  const state: State = { relayer: first, rows: new Map() };
  return {
    store: storeOf(state),
    rows: () => [...state.rows.values()],
    relayer: () => state.relayer,
    /** Takes an execution on, as often as its key comes. */
    accept(executionId: string, calls: readonly Instruction['call'][]): void {
      for (const [index, call] of calls.entries()) {
        const relayTransactionId = `${executionId}/${index}`;
        if (state.rows.has(relayTransactionId)) continue;
        const row = { relayTransactionId, executionId, call, attempts: [], isCancelAsked: false };
        state.rows.set(relayTransactionId, row);
      }
    },
    cancel(relayTransactionId: string): void {
      const row = state.rows.get(relayTransactionId);
      if (row !== undefined && row.outcome === undefined)
        state.rows.set(relayTransactionId, { ...row, isCancelAsked: true });
    },
    backup: () => ({ relayer: state.relayer, rows: new Map(state.rows) }),
    restore({ relayer, rows }: State): void {
      state.relayer = relayer;
      state.rows = new Map(rows);
    },
    /** What a sender does that plans anew. */
    forgetBinding({ relayTransactionId }: Instruction): void {
      const row = state.rows.get(relayTransactionId);
      if (row === undefined || row.outcome !== undefined) return;
      const { nonce: _, gasLimit: _limit, inclusion: _seen, ...rest } = row;
      state.rows.set(relayTransactionId, { ...rest, attempts: [] });
    },
    ...operatorOf(state),
  };
}

/** What an operator does after a database was put back. */
function operatorOf(state: State) {
  /** Lets a relayer go on. */
  function enable(): void {
    const { disabled: _, ...rest } = state.relayer;
    state.relayer = rest;
  }
  return {
    enable,
    /** Takes over what left and is not known here, and goes on behind it. */
    takeOver(journal: Iterable<Leaving>): void {
      const { rows } = state;
      for (const { about, attempt } of journal) {
        const { relayTransactionId, nonce, gasLimit } = about;
        state.relayer = { ...state.relayer, nextNonce: Math.max(state.relayer.nextNonce, nonce + 1) };
        const row = rows.get(relayTransactionId) ?? executionOf(about);
        if (row.outcome !== undefined || row.attempts.some(({ hash }) => hash === attempt.hash)) continue;
        assert.ok(row.nonce === undefined || row.nonce === nonce);
        rows.set(relayTransactionId, { ...row, nonce, gasLimit, attempts: [...row.attempts, attempt] });
      }
      enable();
    },
    /** Binds a cancellation to each of these nonces. */
    cancelNonces(nonces: readonly number[], nextNonce: number): void {
      const { address } = state.relayer;
      for (const nonce of nonces)
        state.rows.set(`nonce ${nonce}`, {
          relayTransactionId: `nonce ${nonce}`,
          executionId: `nonce ${nonce}`,
          call: { chainId: 1, sender: address, to: address, data: '0x', valueWei: 0n },
          ...{ nonce, gasLimit: 21_000n, attempts: [], isCancelAsked: true },
        });
      state.relayer = { ...state.relayer, nextNonce };
    },
  };
}

function storeOf(state: State): RelayStore {
  const of = ({ relayTransactionId }: Instruction): Kept => {
    const row = state.rows.get(relayTransactionId);
    assert.ok(row);
    return row;
  };
  const change = (about: Instruction, fields: Partial<Kept>) =>
    state.rows.set(about.relayTransactionId, { ...of(about), ...fields });
  return {
    read() {
      const all = [...state.rows.values()];
      const open = all.filter(({ outcome }) => outcome === undefined);
      const bound = open.filter((each): each is Kept & BoundInstruction => each.nonce !== undefined);
      bound.sort((a, b) => a.nonce - b.nonce);
      const others = open.filter(({ nonce }) => nonce === undefined);
      const rows = [...bound, ...others].map((row) => withPrevious(row, all));
      return Promise.resolve({ relayer: state.relayer, open: rows });
    },
    async disable(_, reason, usedCount = Infinity) {
      if (state.relayer.nextNonce >= usedCount) return;
      state.relayer = { ...state.relayer, disabled: reason };
    },
    async bind(given) {
      for (const { about, gasLimit } of given) {
        const { nonce, outcome } = of(about);
        if (nonce !== undefined || outcome !== undefined) continue;
        change(about, { nonce: state.relayer.nextNonce, gasLimit });
        state.relayer = { ...state.relayer, nextNonce: state.relayer.nextNonce + 1 };
      }
    },
    async keepAttempts(signed) {
      for (const { about, attempt } of signed) {
        const { nonce, attempts } = of(about);
        assert.equal(nonce, about.nonce, 'a binding never changes');
        if (attempts.some(({ hash }) => hash === attempt.hash)) continue;
        change(about, { attempts: [...attempts, attempt] });
      }
    },
    async noteSent(sent) {
      for (const { about, attempt } of sent) {
        const attempts = of(about).attempts.map((each) =>
          each.hash === attempt.hash ? { ...each, wasSent: true } : each,
        );
        change(about, { attempts });
      }
    },
    async note(seen) {
      for (const { about, inclusion } of seen) {
        const { inclusion: _, ...rest } = of(about);
        state.rows.set(about.relayTransactionId, inclusion === undefined ? rest : { ...rest, inclusion });
      }
    },
    async refuse(about) {
      change(about, { isCancelAsked: true });
    },
    async conclude(ended) {
      for (const { about, outcome } of ended) change(about, { outcome });
    },
  };
}

/** An instruction with how far the one before it in the same execution is. */
function withPrevious(row: Kept, all: readonly Kept[]): Instruction {
  const own = all.filter(({ executionId }) => executionId === row.executionId);
  const before = own[own.indexOf(row) - 1];
  return before === undefined ? row : { ...row, previous: standingOf(before) };
}

function executionOf({ relayTransactionId, call }: BoundInstruction): Kept {
  const [executionId = ''] = relayTransactionId.split('/');
  return { relayTransactionId, executionId, call, attempts: [], isCancelAsked: false };
}

/** What failed may still be executed after a reorganisation, so that only an outcome is a failure. */
function standingOf({ outcome, inclusion, attempts }: Kept): 'OPEN' | 'SUCCEEDED' | 'FAILED' {
  if (outcome !== undefined) return outcome.as === 'CONFIRMED' ? 'SUCCEEDED' : 'FAILED';
  const purpose = attempts.find(({ hash }) => hash === inclusion?.hash)?.purpose;
  return purpose === 'EXECUTE' && inclusion?.succeeded === true ? 'SUCCEEDED' : 'OPEN';
}
