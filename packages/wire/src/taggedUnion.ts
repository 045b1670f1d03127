import { type Static, type TObject, Type } from 'typebox';

/** The place of named schemas in the OpenAPI document. */
export const SCHEMAS_PLACE = '#/components/schemas/';

type Texts = { readonly description: string; readonly examples?: readonly unknown[] };

/**
 * One of several objects that `type` tells apart. The keys of `variants` are the names of their schemas in the OpenAPI
 * document. Generated clients need its discriminator to narrow by `type`.
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
