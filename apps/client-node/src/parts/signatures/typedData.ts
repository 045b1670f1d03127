import { addError, type Fields, isJsonObject, plainJson, required, textField } from '@fairway/api';
import { getTypesForEIP712Domain, type TypedDataDomain } from 'viem';
import { type CheckedTypedData, digestOf } from '../../platform/signers/readable.ts';

type Member = { readonly name: string; readonly type: string };

const NAME = /^[A-Za-z_$][A-Za-z0-9_$]{0,127}$/;
const TYPE = /^[A-Za-z_$][A-Za-z0-9_$]{0,127}(\[\d{0,9}\])*$/;
const TEXT_NAMES: ReadonlySet<string> = new Set(['name', 'version', 'verifyingContract', 'salt']);
const TYPE_LENGTH = 128;
/** The type of a domain, which every typed data has. */
const DOMAIN = 'EIP712Domain';

/**
 * Reads typed data. Names are those of a language: with other characters in them, the text of a type that is signed would
 * be that of another type. The type of the domain is made of the domain, so that a signature covers all of it, chain and
 * contract included.
 */
export function readTypedData(fields: Fields, chainId: number): CheckedTypedData | undefined {
  const domain = readDomain(fields, chainId);
  const types = readTypes(fields);
  const message = readObject(fields, 'message');
  const primaryType = required(fields, 'primaryType', textField(TYPE_LENGTH));
  if (domain === undefined || types === undefined || message === undefined || primaryType === undefined)
    return undefined;
  if (primaryType === DOMAIN || !Object.hasOwn(types, primaryType)) {
    addError(fields, 'primaryType', `primaryType must be one of types, and not ${DOMAIN}.`);
    return undefined;
  }
  const domainType = getTypesForEIP712Domain({ domain });
  const given = types[DOMAIN];
  if (given !== undefined && textOf(given) !== textOf(domainType)) {
    addError(fields, 'types', `types.${DOMAIN} must have the fields of domain, or be left out.`);
    return undefined;
  }
  const typedData = { domain, types: { ...types, [DOMAIN]: domainType }, primaryType, message };
  try {
    digestOf({ kind: 'TYPED_DATA', typedData });
    return typedData;
  } catch {
    // The library's error repeats the values.
    addError(
      fields,
      'message',
      `message must have all fields of ${primaryType}, with values of their types.`,
    );
    return undefined;
  }
}

function textOf(members: readonly Member[]): string {
  return members.map(({ name, type }) => `${type} ${name}`).join();
}

function readObject(fields: Fields, name: string): Readonly<Record<string, unknown>> | undefined {
  const given = fields.values.get(name);
  if (given !== undefined && isJsonObject(given)) return plainJson(given) as Record<string, unknown>;
  addError(fields, name, `${name} must be a JSON object.`);
  return undefined;
}

function readDomain(fields: Fields, chainId: number): TypedDataDomain | undefined {
  const domain = readObject(fields, 'domain');
  if (domain === undefined) return undefined;
  const isKnown = Object.entries(domain).every(([name, value]) =>
    name === 'chainId' ? typeof value === 'number' : TEXT_NAMES.has(name) && typeof value === 'string',
  );
  if (isKnown && domain['chainId'] === chainId) return domain;
  addError(
    fields,
    'domain',
    isKnown
      ? `domain.chainId must be ${chainId}, the chain of the relayer.`
      : 'domain must have chainId as a number, and name, version, verifyingContract and salt as texts.',
  );
  return undefined;
}

function readTypes(fields: Fields): CheckedTypedData['types'] | undefined {
  const types = readObject(fields, 'types');
  if (types === undefined) return undefined;
  if (Object.entries(types).every(([name, members]) => NAME.test(name) && areMembers(members)))
    return types as CheckedTypedData['types'];
  const must = 'a list of fields for each type, each of them {name, type} with names of letters and digits';
  addError(fields, 'types', `types must have ${must}.`);
  return undefined;
}

function areMembers(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((each: unknown) => {
    const { name, type, ...others } = Object(each) as Partial<Member>;
    const isRight =
      typeof name === 'string' && typeof type === 'string' && NAME.test(name) && TYPE.test(type);
    return isRight && Object.keys(others).length === 0;
  });
}
