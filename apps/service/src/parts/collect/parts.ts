import type { WebhookContact } from '../../platform/config/organisations.ts';
import type { ShownOrganisation } from './pages/index.ts';
import type { OrganisationRules, PaymentParts } from '../payments/index.ts';

/** An organisation as its recipients see it, by which rules it pays, and who is told what has become of its webhook endpoints. */
export type KnownOrganisation = ShownOrganisation &
  OrganisationRules & { readonly webhookContact?: WebhookContact };

/** What collect pages and e-mails need: the parts of payments and more. */
export type CollectParts = Omit<PaymentParts, 'organisationOf'> & {
  readonly environment: 'sandbox' | 'production';
  /** The base URL of the service, without a trailing slash. */
  publicUrl(): string;
  /** How an organisation appears to recipients. */
  organisationOf(organisationId: string): Promise<KnownOrganisation>;
};
