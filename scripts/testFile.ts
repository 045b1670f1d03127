import { type AsyncHook, createHook } from 'node:async_hooks';
import { describe } from 'node:test';

/**
 * The runner follows every promise, to learn to which test a stray error belongs. That takes a tenth of the time of all
 * tests. Only registering tests needs it. Without it, a stray error fails its process in place of its test.
 */
let following: AsyncHook | undefined;

// The runner starts its hook when the first test is registered, and has no option against it.
const hooks = Object.getPrototypeOf(createHook({})) as AsyncHook;
const { enable } = hooks;
hooks.enable = new Proxy(enable, {
  apply(_target, hook: AsyncHook) {
    following = hook;
    hooks.enable = enable;
    return hook.enable();
  },
});

/** Runs a test file as a suite, whose hooks are the file's own. */
export async function runTestFile(path: string, url: string): Promise<void> {
  following?.enable();
  await describe(path, async () => {
    try {
      await import(url);
    } finally {
      following?.disable();
    }
  });
}
