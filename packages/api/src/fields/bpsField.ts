import { isJsonNumber, type JsonValue } from './body.ts';
import { type FieldReader, integerField } from './fields.ts';

/** A percentage as people write it, such as 0.5, .5, 0,5 or 0.5 %. */
const PERCENTAGE = /^(\d{0,3})[.,](\d{1,4})\s*%?$/;
/** A percentage without decimals, such as 1 %. */
const WHOLE_PERCENTAGE = /^(\d{1,3})\s*%$/;
/** More than this is hardly meant: who writes 50 % may mean 50 basis points. */
const MOST_MEANT_BPS = 1000;

/**
 * A share in basis points. A percentage or a fraction is refused with the basis points that it has.
 *
 * @example
 * ```ts
 * import { bodyFields, bpsField, required } from '@fairway/api';
 *
 * const fields = bodyFields({ slippageBps: '0.5' }, ['slippageBps']);
 * required(fields, 'slippageBps', bpsField({ minimum: 0, maximum: 5000 })); // refused: did you mean 50?
 * ```
 */
export function bpsField(bounds: { minimum: number; maximum: number }): FieldReader<number> {
  const whole = integerField(bounds);
  const must = `${whole.must} (basis points: 50 is 0.5 %)`;
  return {
    must,
    read(given, origin) {
      const reading = whole.read(given, origin);
      if (reading.ok) return reading;
      const meant = meantBps(given).filter((bps) => bps >= bounds.minimum && bps <= bounds.maximum);
      return meant.length === 0 ? { must, ...reading } : { ok: false, must, suggestions: meant.map(String) };
    },
  };
}

/** The basis points of a percentage, or of a fraction that is too small for one. */
function meantBps(given: JsonValue): readonly number[] {
  const text = isJsonNumber(given) ? given.source : given;
  if (typeof text !== 'string') return [];
  const percent = WHOLE_PERCENTAGE.exec(text)?.[1];
  if (percent !== undefined) {
    const [bare, bps] = [Number(percent), 100 * Number(percent)];
    return bps > MOST_MEANT_BPS ? [bare, bps] : [bps];
  }
  const [, whole = '', decimals = ''] = PERCENTAGE.exec(text) ?? [];
  if (decimals === '') return [];
  const places = decimals.replace(/0+$/, '').length;
  const hundredths = Number(`${whole}${decimals.padEnd(4, '0')}`);
  return [places > 2 ? hundredths : hundredths / 100];
}
