import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import type { Store } from '@fairway/store';
import { ConfigError, type OrganisationConfig } from '../configFile.ts';
import type { ShownOrganisation } from './collectParts.ts';

const LARGEST_LOGO_BYTES = 65_536;
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
};

/** Makes the lookup of how an organisation appears: as configured, else by its name. @throws ConfigError for a logo that cannot be shown. */
export function createOrganisations(
  configured: readonly OrganisationConfig[],
  store: Pick<Store, 'organisationName'>,
): (organisationId: string) => Promise<ShownOrganisation | undefined> {
  const shownByName = new Map(configured.map((entry) => [entry.organisation, shownOf(entry)]));
  const known = new Map<string, ShownOrganisation>();

  return async (organisationId) => {
    const remembered = known.get(organisationId);
    if (remembered !== undefined) return remembered;
    const found = await store.organisationName(organisationId);
    if (!found.ok || found.name === undefined) return undefined;
    const shown = shownByName.get(found.name) ?? { name: found.name };
    known.set(organisationId, shown);
    return shown;
  };
}

function shownOf({
  organisation,
  shownName = organisation,
  logoPath,
}: OrganisationConfig): ShownOrganisation {
  if (logoPath === undefined) return { name: shownName };
  const type = IMAGE_TYPES[extname(logoPath).toLowerCase()];
  if (type === undefined)
    throw new ConfigError([
      `${logoPath}: a logo is a PNG, JPEG, WebP or SVG file; this is none by its name.`,
    ]);
  try {
    if (statSync(logoPath).size > LARGEST_LOGO_BYTES)
      throw new ConfigError([`${logoPath}: a logo has at most ${LARGEST_LOGO_BYTES} bytes.`]);
    return { name: shownName, logoDataUri: `data:${type};base64,${readFileSync(logoPath, 'base64')}` };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([`${logoPath}: the logo cannot be read: ${(error as Error).message}`]);
  }
}
