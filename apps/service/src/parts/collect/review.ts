import type { Recipient } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { RecipientSchema } from '@fairway/wire';
import type { CollectParts } from './parts.ts';
import { askingOf, factsFor, type FoundLink, type Page } from './linkFacts.ts';
import { type Form, keepPage } from './pageState.ts';
import { reviewPage } from './pages/index.ts';

/** Why details are shown to be checked once more. */
export type ReviewProblem = NonNullable<Parameters<typeof reviewPage>[0]['problem']>;

/** The page that shows all details in full to be checked. */
export function reviewed(
  parts: CollectParts,
  link: FoundLink,
  form: Form,
  schema: RecipientSchema,
  given: Recipient,
  problem?: ReviewProblem,
): Page {
  return {
    ...statusOf(problem),
    html: reviewPage({
      ...factsFor(link, given.type),
      pageState: keepPage(parts, 'review', form),
      schema,
      given,
      email: maskedEmail(link),
      ...defined({ problem, asking: problem?.kind === 'TOO_MANY' ? askingOf(link) : undefined }),
    }),
  };
}

function statusOf(problem: ReviewProblem | undefined): Omit<Page, 'html'> {
  switch (problem?.kind) {
    case undefined:
      return { status: 200 };
    case 'TOO_SOON':
      return { status: 429, retryAfterSeconds: problem.retryAfterSeconds };
    case 'TOO_MANY':
      return { status: 409 };
    case 'NOT_CONFIRMED':
      return { status: 400 };
  }
}

/** The address that codes are sent to, masked. */
export function maskedEmail({ plan: { recipient } }: FoundLink): string {
  return recipient.type === 'email' ? recipient.email : '';
}
