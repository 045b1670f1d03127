import type { NoticeOptions } from '@fairway/plan';
import type { PaymentParts } from '../payments/paymentParts.ts';

/** An organisation as its recipients see it. */
export type ShownOrganisation = {
  readonly name: string;
  /** `data:image/…` */
  readonly logoDataUri?: string;
};

/** An organisation, with what its recipients are e-mailed beside links and codes. */
export type KnownOrganisation = ShownOrganisation & { readonly notices?: NoticeOptions };

/** What the recipients' side needs beside the parts of payments. */
export type CollectParts = PaymentParts & {
  readonly environment: 'sandbox' | 'production';
  /** Where the page is, without a trailing slash. */
  publicUrl(): string;
  /** Undefined while the database is away. */
  organisationOf(organisationId: string): Promise<KnownOrganisation | undefined>;
};
