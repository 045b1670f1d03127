/** A way to ask somebody, as text and as a link. */
export type ContactWay = { readonly text: string; readonly url: string };

/** The ways of a contact as people read them: the e-mail address, the phone number, the page, as far as it has them. */
export function contactWays({
  email,
  phone,
  url,
}: {
  readonly email?: string;
  readonly phone?: string;
  readonly url?: string;
}): readonly ContactWay[] {
  return [
    ...(email === undefined ? [] : [{ text: email, url: mailAddress(email) }]),
    ...(phone === undefined ? [] : [{ text: phone, url: `tel:${phone.replaceAll(/[ -]/g, '')}` }]),
    ...(url === undefined ? [] : [{ text: url.replace(/^https:\/\//i, '').replace(/\/$/, ''), url }]),
  ];
}

/** Characters of an address that mean something else in a mailto: URL are encoded. */
function mailAddress(email: string): string {
  return `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`;
}
