import { authorizationOf, type ServiceAccess } from '../platform/config/serviceAccess.ts';
import { fetchFault } from './listen/fetchFault.ts';
import { CommandError } from './commandError.ts';

/** Asks a running service: reads a path, or posts a body to it. `ifMatch`: the revision that it is meant for. @throws CommandError */
export async function callService<Body>(
  access: ServiceAccess,
  path: string,
  body?: object,
  ifMatch?: number,
): Promise<Body> {
  const { url } = access;
  const authorization = authorizationOf(access);
  const post = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      authorization,
      'content-type': 'application/json',
      ...(ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` }),
    },
  };
  const asked = fetch(`${url}${path}`, body === undefined ? { headers: { authorization } } : post);
  const response = await asked.catch((error: unknown) => {
    throw new CommandError('REFUSED', `The service at ${url} does not answer: ${fetchFault(error)}`);
  });
  const answer = (await response.json().catch(() => ({}))) as Body & { detail?: string };
  if (response.ok) return answer;
  const why = answer.detail ?? `it answers ${response.status}`;
  const code = response.status === 412 ? 'PLAN_CHANGED' : 'REFUSED';
  throw new CommandError(code, `The service refuses: ${why}`);
}
