/** The longest answer, and the longest message of a stream, that is kept. The service's own are far shorter. */
export const MOST_BYTES: number = 16 * 1024 * 1024;

/** The text of an answer. The rest of one that is too long is not read. */
export async function readText({ body }: Response): Promise<{ text: string; isTooLong: boolean }> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ; ) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return { text: text + decoder.decode(), isTooLong: false };
    text += decoder.decode(value, { stream: true });
    bytes += value.length;
    if (bytes <= MOST_BYTES) continue;
    reader?.cancel().catch(() => undefined);
    return { text, isTooLong: true };
  }
}
