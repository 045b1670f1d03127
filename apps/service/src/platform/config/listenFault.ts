/** Why an address cannot be listened on, and what to do; for an error with an unknown code, `otherwise`. */
export function listenFault(code: string | undefined, otherwise: string): string {
  return LISTEN_FAULTS[code ?? ''] ?? otherwise;
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there. Choose another port, or 0 for any free one.',
  EACCES: 'this user may not. Choose a port above 1023.',
  EADDRNOTAVAIL: 'this machine has no such address. Choose another host.',
};
