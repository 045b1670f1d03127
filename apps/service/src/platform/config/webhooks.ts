import { type Cidr, readCidr } from '@fairway/webhooks';
import type { ConfigFile } from './schema.ts';

/** The networks that webhooks may be sent to although they are not public; undefined when none is named. */
export function toNetworks(
  { webhooks }: ConfigFile,
  path: string,
  problems: string[],
): readonly Cidr[] | undefined {
  return webhooks?.allowPrivate?.flatMap((text) => {
    const read = readCidr(text);
    if (read.ok) return [read.cidr];
    problems.push(`${path}: webhooks.allowPrivate: ${JSON.stringify(text)}: ${read.detail}`);
    return [];
  });
}
