/** What is wrong with the address of a page that recipients are sent to; undefined where nothing is. */
export function publicPageFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') return 'must be an address that begins with https://.';
  return url.username === '' && url.password === ''
    ? undefined
    : 'must not hold a user name or a password, because recipients see it.';
}
