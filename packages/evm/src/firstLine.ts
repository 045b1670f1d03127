/** The first line of an error's message: the messages of clients go on with whole request bodies. */
export function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? error.name) : 'unknown failure';
}
