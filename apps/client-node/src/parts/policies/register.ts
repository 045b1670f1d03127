import type { Door } from '@fairway/api';
import type { Policy, PolicyDocument } from '@fairway/policies';
import type { NodeOperationId } from '@fairway/wire';
import type { Relayers } from '../executions/index.ts';
import { policyInWords } from './inWords.ts';

/** The policy that the process was started with. */
export type PolicyParts = {
  readonly document: PolicyDocument;
  readonly hash: string;
  readonly policy: Policy;
};

/** Registers what says which policy is in force. */
export function registerPolicies(
  { registrar }: Pick<Door<NodeOperationId>, 'registrar'>,
  { document, hash }: PolicyParts,
  relayers: Relayers,
): void {
  registrar.find('getPolicy', {
    answer: async () => ({
      ok: true,
      body: { hash, document, inWords: await policyInWords(document, relayers) },
    }),
  });
}
