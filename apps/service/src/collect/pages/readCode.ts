/** The six digits in what was posted as a code, pasted with spaces or a hyphen or not; undefined when it is none. */
export function readCode(posted: string): string | undefined {
  const code = posted.slice(0, 64).replaceAll(/[\s-]/g, '');
  return /^[0-9]{6}$/.test(code) ? code : undefined;
}
