import { join } from 'node:path';
import { basic, startTestService, type TestService } from './harness.ts';
import { makeLogin } from './paymentCalls.ts';
import { endEverything, freshFolder } from './processHarness.ts';

/** A test service whose requests have a credential that may do everything. The demo credential may not approve. */
export async function startMakerService(): Promise<TestService> {
  const data = join(freshFolder(), 'data');
  const bare = await startTestService(['--data', data]);
  const { username, password } = await makeLogin({ data }, 'Sandbox demo');
  const authorization = basic(username, password);
  return {
    ...bare,
    authorization,
    request: (path, init) =>
      bare.request(path, {
        ...init,
        headers: { authorization, ...(init?.headers as Record<string, string>) },
      }),
    async close() {
      await bare.close();
      await endEverything();
    },
  };
}
