/** What a URL's user name and password must be; said after the place of the URL, which holds a secret. */
export const MALFORMED_LOGIN =
  'percent-encode the user name and the password as UTF-8: %25 for a percent sign, %3A for a colon, %40 for an @, %2F for a slash, %23 for a #. A user name has no colon.';
