/** How often the same is said again. */
const REMIND_MS = 60_000;

/** Decides when something that goes wrong again and again is worth a line in the log. */
export type Reminder = {
  /** Whether to say it: at once when it is new, then once a minute. */
  isDue(text: string): boolean;
  /** It went well. Whether anything had been said. */
  forget(): boolean;
};

/** Makes a reminder that nothing has been said by. */
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
