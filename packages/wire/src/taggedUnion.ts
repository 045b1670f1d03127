import { type Static, type TObject, Type } from 'typebox';

/** Where the OpenAPI document has the schema with a name. */
export const SCHEMAS_PLACE = '#/components/schemas/';

type Texts = { readonly description: string; readonly examples?: readonly unknown[] };

/**
 * One of several objects that `type` tells apart. `variants` by their names in the OpenAPI document, where generated
 * clients need the discriminator to narrow by `type`.
 */
export function oneByType<const Variants extends Readonly<Record<string, TObject>>>(
  variants: Variants,
  texts: Texts,
) {
  const mapping = Object.fromEntries(
    Object.entries(variants).map(([name, variant]) => [wordOfType(variant), `${SCHEMAS_PLACE}${name}`]),
  );
  return Type.Unsafe<Static<Variants[keyof Variants]>>({
    ...texts,
    oneOf: Object.values(variants),
    discriminator: { propertyName: 'type', mapping },
  });
}

function wordOfType({ properties }: TObject): string {
  const { enum: words = [] } = properties['type'] as { readonly enum?: readonly string[] };
  const [word] = words;
  if (word === undefined || words.length > 1) throw new Error('A variant has one word as its type.');
  return word;
}
