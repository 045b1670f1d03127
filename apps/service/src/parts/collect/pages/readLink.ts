/**
 * The token that a recipient posted to /collect/open. It comes alone, as the script sends it, or inside a pasted
 * link, which may have other text around it. Undefined when there is no token.
 */
export function readLink(posted: string): string | undefined {
  const text = posted.slice(0, 4096);
  const [, afterHash] = /#([A-Za-z0-9_-]{1,256})/.exec(text) ?? [];
  if (afterHash !== undefined) return afterHash;
  return /^\s*([A-Za-z0-9_-]{1,256})\s*$/.exec(text)?.[1];
}
