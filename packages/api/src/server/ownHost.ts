import { LOOPBACK_HOSTS } from './loopbackHosts.ts';

/** A text with one of these is no host: in a URL, only a part of it would be read as the host. */
const NO_HOST = /[/?#@\\]/;

/**
 * Whether a request's Host is a name of this machine or of the public URL. A web page can let its own name point to
 * this machine (DNS rebinding), and then read every open page of a sandbox. But the Host is still the page's name.
 */
export function isOwnHost(host: string, publicUrl: string): boolean {
  if (host === known.host && publicUrl === known.publicUrl) return true;
  if (!namesOwnHost(host, publicUrl)) return false;
  known = { host, publicUrl };
  return true;
}

/** The last host that was right: nearly all requests have the same one. */
let known = { host: '', publicUrl: '' };

function namesOwnHost(host: string, publicUrl: string): boolean {
  if (NO_HOST.test(host)) return false;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[(.*)\]$/, '$1');
  return name !== undefined && (LOOPBACK_HOSTS.has(name) || name === URL.parse(publicUrl)?.hostname);
}
