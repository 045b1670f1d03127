/** What went wrong in a line: messages of clients go on with whole request bodies. */
export function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? error.name) : 'unknown failure';
}
