import type { Store } from '@fairway/store';
import type { OrganisationConfig } from '../../platform/config/organisations.ts';
import type { KnownOrganisation } from './parts.ts';

/** Makes the lookup of how an organisation appears to recipients: as configured, or else by its name. */
export function createOrganisations(
  configured: readonly OrganisationConfig[],
  store: Pick<Store, 'organisationName'>,
): (organisationId: string) => Promise<KnownOrganisation> {
  const configuredByName = new Map(
    configured.map(({ organisation, shownName, ...rest }) => [organisation, { name: shownName, ...rest }]),
  );
  const known = new Map<string, KnownOrganisation>();

  return async (organisationId) => {
    const remembered = known.get(organisationId);
    if (remembered !== undefined) return remembered;
    const { name } = await store.organisationName(organisationId);
    if (name === undefined) throw new Error(`There is no organisation ${organisationId}.`);
    const organisation = configuredByName.get(name) ?? { name };
    known.set(organisationId, organisation);
    return organisation;
  };
}
