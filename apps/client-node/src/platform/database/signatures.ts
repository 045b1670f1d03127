import type { Hex } from '@fairway/relay';
import type { Database } from './schema.ts';

/** What was signed, and for whom. */
export type KeptSignature = {
  readonly relayerId: string;
  readonly kind: 'MESSAGE' | 'TYPED_DATA';
  readonly digest: Hex;
  readonly credentialId: string;
};

/** Writes down what is signed. */
export async function keepSignature(
  database: Database,
  { relayerId, kind, digest, credentialId }: KeptSignature,
): Promise<void> {
  await database
    .insertInto('signatures')
    .values({ relayer_id: relayerId, kind, digest, credential_id: credentialId })
    .execute();
}

/** A part of what was signed, the newest first. `before`: the place that it continues behind. */
export async function listSignatures(
  database: Database,
  relayerId: string | undefined,
  { limit, before }: { readonly limit: number; readonly before: bigint | undefined },
): Promise<(KeptSignature & { readonly signed: bigint; readonly signedAtMs: number })[]> {
  const rows = await database
    .selectFrom('signatures')
    .selectAll()
    .$if(relayerId !== undefined, (query) => query.where('relayer_id', '=', relayerId ?? ''))
    .$if(before !== undefined, (query) => query.where('signed', '<', before ?? 0n))
    .orderBy('signed', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...{ relayerId: row.relayer_id, kind: row.kind, digest: row.digest as Hex },
    ...{ credentialId: row.credential_id, signed: row.signed, signedAtMs: row.signed_at.getTime() },
  }));
}
