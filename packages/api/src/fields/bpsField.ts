import { isJsonNumber, type JsonValue } from './body.ts';
import { type FieldReader, integerField } from './fields.ts';

/** A percentage as people write it, such as 0.5 or 0.5 %. */
const PERCENTAGE = /^(\d{1,3})\.(\d{1,4})\s*%?$/;

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
      const meant = meantBps(given);
      if (meant === undefined || meant < bounds.minimum || meant > bounds.maximum)
        return { must, ...reading };
      return { ok: false, must, suggestions: [String(meant)] };
    },
  };
}

/** The basis points of a percentage, or of a fraction that is too small for one. */
function meantBps(given: JsonValue): number | undefined {
  const text = isJsonNumber(given) ? given.source : given;
  const [, whole = '', decimals = ''] = (typeof text === 'string' && PERCENTAGE.exec(text)) || [];
  if (decimals === '') return undefined;
  const places = decimals.replace(/0+$/, '').length;
  const hundredths = Number(`${whole}${decimals.padEnd(4, '0')}`);
  return places > 2 ? hundredths : hundredths / 100;
}
