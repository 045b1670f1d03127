import assert from 'node:assert/strict';
import { collectStep, type Effect, effectsOf, isLinkLive, type Plan, workOf } from '../src/index.ts';

/**
 * Asserts the rules that hold for the effects of every change. Exactly one effect is about work. A link that stops
 * being live has a LINK_ENDED effect, and a link of a new version has a LINK_MADE effect. A plan that stays as it is
 * leads to no effect.
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
