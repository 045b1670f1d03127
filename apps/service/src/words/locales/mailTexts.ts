/** A mail's subject, and its first sentence after the greeting. */
export type MailOpening = { readonly subject: string; readonly opening: string };

/** What an organisation is told of an endpoint of its own: what has happened, and what to do. */
export type EndpointMailText = MailOpening & { readonly next: string };

/**
 * What an organisation is told of its webhook endpoints. Placeholders: {organisation}, {environment}, {endpoint} (its id), {host},
 * {at}, {since}, and {site}, the host of the service.
 */
export type EndpointMailTexts = {
  /** No attempt has succeeded for an hour. */
  readonly failing: EndpointMailText;
  readonly recovered: EndpointMailText;
  /** It has answered 410. */
  readonly gone: EndpointMailText;
  /** It has failed for five days. */
  readonly disabled: EndpointMailText;
  readonly footer: string;
};

/**
 * The texts of e-mails in one language. Placeholders: {organisation}, {name}, {amount} (with its currency), {expires},
 * {destination}, and {site}, the host of the pages. Subjects have {organisation} alone.
 */
export type MailTexts = {
  readonly greeting: string;
  readonly greetingByName: string;
  readonly linkFirst: MailOpening;
  readonly linkReplaced: MailOpening;
  /** The previous link has expired or was cancelled. */
  readonly linkReissued: MailOpening;
  /** The delivery to the chosen destination has failed. */
  readonly linkReopened: MailOpening;
  readonly link: {
    readonly steps: string;
    readonly button: string;
    readonly copy: string;
    readonly until: string;
    readonly site: string;
    readonly message: string;
    readonly unexpected: string;
  };
  readonly code: MailOpening & {
    /** What the code confirms. Placeholder: {destination}, masked. */
    readonly confirms: string;
    readonly until: string;
    readonly secret: string;
    readonly unexpected: string;
  };
  readonly reminder: MailOpening & { readonly steps: string };
  readonly confirmation: MailOpening & { readonly next: string; readonly unexpected: string };
  readonly delivered: MailOpening & { readonly next: string; readonly unexpected: string };
  /** What {destination} stands for. Placeholders: {ending}, {address}, {provider}. */
  readonly destinations: { readonly bank: string; readonly wallet: string; readonly emoney: string };
  readonly endpoint: EndpointMailTexts;
  readonly neverAsked: string;
  /** Stands before the ways to ask the organisation. */
  readonly contact: string;
  readonly footer: string;
};
