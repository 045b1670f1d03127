/**
 * The token in what a recipient posted to /collect/open: the token alone, as the script sends it, or the pasted link
 * with anything around it. Undefined when there is none.
 */
export function readLink(posted: string): string | undefined {
  const text = posted.slice(0, 4096);
  const [, afterHash] = /#([A-Za-z0-9_-]{1,256})/.exec(text) ?? [];
  if (afterHash !== undefined) return afterHash;
  return /^\s*([A-Za-z0-9_-]{1,256})\s*$/.exec(text)?.[1];
}
