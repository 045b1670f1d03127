import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Policy, type PolicyDocument, readPolicy } from '@fairway/policies';

/** A policy as its operator wrote it, and as it was read. */
export type GivenPolicy = { readonly document: PolicyDocument; readonly policy: Policy };

/** A policy, or what is wrong with its document. */
export type ReadGivenPolicy =
  | ({ readonly ok: true } & GivenPolicy)
  | { readonly ok: false; readonly faults: readonly string[] };

/** Reads the policy in a file. */
export function readPolicyFile(path: string): ReadGivenPolicy {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { ok: false, faults: ['cannot be read as JSON.'] };
  }
  return givenPolicy(document);
}

/** Reads a policy document, and keeps it beside what was read. */
export function givenPolicy(document: unknown): ReadGivenPolicy {
  const read = readPolicy(document);
  return read.ok ? { ok: true, document: document as PolicyDocument, policy: read.policy } : read;
}

/** The SHA-256 of a document. The order of its keys, its spaces and line breaks do not count. */
export function policyHash(document: PolicyDocument): string {
  const text = JSON.stringify(document, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('hex');
}
