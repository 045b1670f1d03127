/** The answers of organisations that go on for long. */
export type OpenAnswers = {
  /** Counts an answer of an organisation until its request ends, also one that is refused. False: it is one too many. */
  enter(organisationId: string, ended: AbortSignal): boolean;
};

/** Makes the count of answers, of which each organisation may have `most`. */
export function createOpenAnswers(most: number): OpenAnswers {
  const counts = new Map<string, number>();
  return {
    enter(organisationId, ended) {
      const open = counts.get(organisationId) ?? 0;
      if (ended.aborted || open >= most) return false;
      counts.set(organisationId, open + 1);
      ended.addEventListener('abort', () => {
        const left = (counts.get(organisationId) ?? 1) - 1;
        if (left > 0) counts.set(organisationId, left);
        else counts.delete(organisationId);
      });
      return true;
    },
  };
}
