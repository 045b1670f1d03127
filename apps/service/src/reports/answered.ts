/** The database is away: the job is to be tried again, and a download ends early. */
class AwayError extends Error {}

/** What the database answered; throws where it is away. */
export function answered<Answer extends { readonly ok: boolean }>(
  answer: Answer,
): Extract<Answer, { ok: true }> {
  if (!answer.ok) throw new AwayError('The database is away.');
  return answer as Extract<Answer, { ok: true }>;
}
