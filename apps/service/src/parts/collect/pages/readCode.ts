/** The six digits of a posted code, without the spaces and hyphens in it; undefined when it is no code. */
export function readCode(posted: string): string | undefined {
  const code = posted.slice(0, 64).replaceAll(/[\s-]/g, '');
  return /^[0-9]{6}$/.test(code) ? code : undefined;
}
