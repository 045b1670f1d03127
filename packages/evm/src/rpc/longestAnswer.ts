/** The longest answer of a node that is read, in bytes. A longer one would hold up the process while it is parsed. */
export const LONGEST_ANSWER_BYTES = 10 * 1024 * 1024;
/** Why a node counts as silent when its answer is longer. */
export const TOO_LONG = `its answer is longer than ${LONGEST_ANSWER_BYTES / 1024 / 1024} MiB`;
