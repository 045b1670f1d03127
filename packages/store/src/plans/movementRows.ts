import {
  accountEntryOf,
  type Asset,
  directionOf,
  type Movement,
  movementIdOf,
  type Plan,
  type TimeMs,
} from '@fairway/plan';

type Json<T> = T | null;

/** A row of `movements` as JSON, as it is written. */
export type MovementRow = {
  organisation_id: string;
  environment: string;
  plan_id: string;
  seq: number;
  revision: number;
  corridor_id: string;
  is_entry: boolean;
  entry_minor: Json<string>;
  kind: Movement['kind'];
  side: Movement['side'];
  direction: 'IN' | 'OUT';
  step_id: Json<string>;
  attempt: Json<number>;
  asset_chain_id: Json<number>;
  asset_address: Json<string>;
  asset_currency: Json<string>;
  expected: Json<string>;
  actual: string;
  paid: unknown;
  fee: unknown;
  rate: Json<string>;
  estimated_rate: Json<string>;
  chain_id: Json<number>;
  tx_hash: Json<string>;
  log_index: Json<number>;
  block_number: Json<number>;
  block_hash: Json<string>;
  block_time: Json<string>;
  from_address: Json<string>;
  to_address: Json<string>;
  provider_reference: Json<string>;
  end_to_end_id: Json<string>;
  occurred_at: Json<string>;
  recorded_at: string;
  verification: Movement['verification'];
  reason: Json<string>;
  note: Json<string>;
  gas_units: Json<string>;
  gas_cost: Json<string>;
  market_amount: Json<string>;
  reverses: Json<number>;
};

type Key = Pick<MovementRow, 'organisation_id' | 'environment' | 'plan_id'>;

/** The rows of the movements behind the first `known` of a plan's ledger. */
export function movementRows(key: Key, plan: Plan, known: number): MovementRow[] {
  const { ledger = [], revision, corridor } = plan;
  const seqs = new Map(ledger.map(({ movementId, seq }) => [movementId, seq]));
  return ledger.slice(known).map((movement) => {
    const { seq, kind, side, transfer, reverses } = movement;
    const entry = accountEntryOf(plan, movement);
    return {
      ...key,
      seq,
      revision,
      corridor_id: corridor.id,
      is_entry: entry !== undefined,
      entry_minor: entry?.minor?.toString() ?? null,
      kind,
      side,
      direction: directionOf(movement),
      step_id: movement.stepId ?? null,
      attempt: movement.attempt ?? null,
      ...assetColumns(movement.asset),
      expected: movement.expected ?? null,
      actual: movement.actual,
      paid: movement.paid ?? null,
      fee: movement.fee ?? null,
      rate: movement.rate ?? null,
      estimated_rate: movement.estimatedRate ?? null,
      chain_id: transfer?.chainId ?? null,
      tx_hash: transfer?.txHash ?? null,
      log_index: transfer?.logIndex ?? null,
      block_number: transfer?.blockNumber ?? null,
      block_hash: transfer?.blockHash ?? null,
      block_time: isoOrNull(transfer?.blockTimeMs),
      from_address: transfer?.from ?? null,
      to_address: transfer?.to ?? null,
      provider_reference: movement.providerReference ?? null,
      end_to_end_id: movement.endToEndId ?? null,
      occurred_at: isoOrNull(movement.occurredAtMs),
      recorded_at: new Date(movement.recordedAtMs).toISOString(),
      verification: movement.verification,
      reason: movement.reason ?? null,
      note: movement.note ?? null,
      gas_units: movement.gas?.units ?? null,
      gas_cost: movement.gas?.costWei ?? null,
      market_amount: movement.marketAmount ?? null,
      reverses: reverses === undefined ? null : (seqs.get(reverses) ?? null),
    };
  });
}

function assetColumns(
  asset: Asset,
): Pick<MovementRow, 'asset_chain_id' | 'asset_address' | 'asset_currency'> {
  return 'currency' in asset
    ? { asset_chain_id: null, asset_address: null, asset_currency: asset.currency }
    : { asset_chain_id: asset.chainId, asset_address: asset.address, asset_currency: null };
}

/** A row as it is read, within its plan. */
export type ReadMovementRow = Omit<
  MovementRow,
  keyof Key | 'revision' | 'direction' | 'corridor_id' | 'is_entry' | 'entry_minor'
>;

/** The ledger of a plan from its rows, which are in the order of their numbers. */
export function rowsToLedger(planId: string, rows: readonly ReadMovementRow[]): readonly Movement[] {
  return rows.map((row) => {
    const told = present({
      stepId: row.step_id,
      attempt: row.attempt,
      expected: row.expected,
      paid: row.paid,
      fee: row.fee,
      rate: row.rate,
      estimatedRate: row.estimated_rate,
      transfer: transferOf(row),
      providerReference: row.provider_reference,
      endToEndId: row.end_to_end_id,
      occurredAtMs: timeOrNull(row.occurred_at),
      reason: row.reason,
      note: row.note,
      gas: row.gas_units === null ? null : present({ units: row.gas_units, costWei: row.gas_cost }),
      marketAmount: row.market_amount,
      reverses: row.reverses === null ? null : movementIdOf(planId as Plan['planId'], row.reverses),
    });
    const { seq, kind, side, actual, verification } = row;
    const recordedAtMs = Date.parse(row.recorded_at);
    const movementId = movementIdOf(planId as Plan['planId'], seq);
    const asset = assetOf(row);
    return { movementId, seq, kind, side, asset, actual, recordedAtMs, verification, ...told } as Movement;
  });
}

function assetOf({ asset_chain_id, asset_address, asset_currency }: ReadMovementRow): object {
  return asset_currency === null
    ? { chainId: asset_chain_id, address: asset_address }
    : { currency: asset_currency };
}

function transferOf(row: ReadMovementRow): object | null {
  if (row.tx_hash === null) return null;
  return present({
    chainId: row.chain_id,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    blockTimeMs: timeOrNull(row.block_time),
    from: row.from_address,
    to: row.to_address,
  });
}

/** The members that are not null: an optional member of a movement is absent, never undefined. */
function present(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function isoOrNull(timeMs: TimeMs | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString();
}

function timeOrNull(time: string | null): TimeMs | null {
  return time === null ? null : Date.parse(time);
}
