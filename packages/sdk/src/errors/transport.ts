/** No answer came: the service cannot be reached, or the connection was cut. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code = 'connection-failed';

  constructor(place: string, cause: unknown) {
    super(`${place} gave no answer: ${cause instanceof Error ? reasonOf(cause) : String(cause)}`, { cause });
  }
}

/** No answer came in the time that the call, or one attempt of it, may take. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'timed-out';

  constructor(place: string, timeMs: number) {
    super(`${place} gave no answer within ${timeMs} ms.`);
  }
}

/** The answer is not the service's, such as a page of a proxy. Or it is too long to be read to its end. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  readonly code = 'answer-not-understood';
  readonly status: number;
  /** The beginning of what came. */
  readonly text: string;

  constructor(place: string, status: number, text: string, isTooLong = false) {
    const what = isTooLong ? 'more than is read' : 'what is not of Fairway';
    super(`${place} answered ${status} with ${what}: ${text.slice(0, SHOWN) || 'nothing'}`);
    this.status = status;
    this.text = text.slice(0, SHOWN);
  }
}

/** The beginning of a strange answer says what it is. */
const SHOWN = 200;

/** Node hides the reason of a failed fetch in the cause. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
