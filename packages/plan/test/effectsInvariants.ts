import assert from 'node:assert/strict';
import { collectStep, type Effect, effectsOf, isLinkLive, type Plan, workOf } from '../src/index.ts';

/**
 * Asserts what holds of the effects of every change: exactly one says what work is left, a link that could be used and no
 * longer can has ended, and a link of another version was made. No plan leads to an effect by staying as it is.
 */
export function assertEffects(before: Plan, after: Plan): void {
  assert.deepEqual(effectsOf(after, after), []);
  const [first, ...others] = effectsOf(before, after);
  const work = workOf(after);
  assert.deepEqual(first, work === undefined ? { kind: 'NO_WORK_DUE' } : { kind: 'WORK_DUE', work });
  const count = (kind: Effect['kind']) => others.filter((effect) => effect.kind === kind).length;
  assert.equal(count('WORK_DUE') + count('NO_WORK_DUE'), 0);
  const [old, next] = [collectStep(before)?.link, collectStep(after)?.link];
  const isSame = old?.version === next?.version;
  assert.equal(count('LINK_ENDED'), isLinkLive(old) && !(isSame && isLinkLive(next)) ? 1 : 0);
  assert.equal(count('LINK_MADE'), next !== undefined && !isSame ? 1 : 0);
  assert.ok(count('REMINDER_WANTED') <= count('LINK_MADE'));
  assert.ok(count('NOTICE_WANTED') <= 1);
}
