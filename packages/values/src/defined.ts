/** An object type whose members that can be undefined are optional instead. */
export type Defined<Members extends object> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
    Members[Name],
    undefined
  >;
};

/**
 * Copies an object without the members that are undefined. In a plan an optional member is absent, never undefined, so
 * that two records with the same members are equal.
 *
 * @example
 * ```ts
 * import { defined } from '@fairway/values';
 *
 * declare const providerReference: string | undefined;
 * const attempt: { code: string; providerReference?: string } = defined({ code: 'BOUNCED', providerReference });
 * ```
 */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const present: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) present[name] = value;
  return present as Defined<Members>;
}
