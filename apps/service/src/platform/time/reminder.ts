/** How often the same text is logged again. */
const REMIND_MS = 60_000;

/** Decides when something that goes wrong again and again is worth a line in the log. */
export type Reminder = {
  /** Whether to log a text now: at once when it is new, then once a minute. */
  isDue(text: string): boolean;
  /** For when it works again. Returns whether a text had been logged. */
  forget(): boolean;
};

/** Makes a reminder that has logged nothing yet. */
export function createReminder(monotonicMs: () => number): Reminder {
  let said: { readonly text: string; readonly atMs: number } | undefined;
  return {
    isDue(text) {
      if (said?.text === text && monotonicMs() < said.atMs + REMIND_MS) return false;
      said = { text, atMs: monotonicMs() };
      return true;
    },
    forget() {
      const wasSaid = said !== undefined;
      said = undefined;
      return wasSaid;
    },
  };
}
