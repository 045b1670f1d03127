import { LOOPBACK_HOSTS } from '../config/loopbackHosts.ts';

/**
 * Whether a request's Host is a name of this machine or of the public URL. A web page can have its own name point to
 * this machine (DNS rebinding), and then read every open page of a sandbox; but the Host stays the page's name.
 */
export function isOwnHost(host: string, publicUrl: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[(.*)\]$/, '$1');
  return name !== undefined && (LOOPBACK_HOSTS.has(name) || name === URL.parse(publicUrl)?.hostname);
}
