import Type from 'typebox';

const CLOSED = { additionalProperties: false } as const;

const Notices = Type.Object(
  {
    reminderHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_160,
        description: 'How many hours before the end of a link the recipient is reminded. Default: never.',
      }),
    ),
    confirmation: Type.Optional(
      Type.Boolean({ description: 'Whether it is confirmed where the money goes. Default: false.' }),
    ),
    delivery: Type.Optional(
      Type.Boolean({ description: 'Whether it is told that the money was delivered. Default: false.' }),
    ),
  },
  {
    ...CLOSED,
    description: 'E-mails beside links and codes. For payments that are made from then on.',
  },
);

const WebhookContact = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 254, description: 'One plain e-mail address.' }),
    locale: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
        description: 'The language of these e-mails, as a tag such as de. Default: English.',
      }),
    ),
  },
  {
    ...CLOSED,
    description:
      'Who is e-mailed when a webhook endpoint of the organisation fails, has recovered or is disabled. Needs mail. Default: nobody.',
  },
);

const Support = Type.Object(
  {
    email: Type.Optional(
      Type.String({ minLength: 3, maxLength: 254, description: 'One plain e-mail address.' }),
    ),
    url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'A page over https, such as a help desk.' }),
    ),
    phone: Type.Optional(
      Type.String({
        pattern: '^\\+[1-9]([ -]?[0-9]){6,14}$',
        description: 'With + and the country code; spaces and hyphens are shown as they are written.',
      }),
    ),
  },
  {
    ...CLOSED,
    minProperties: 1,
    description: 'Where recipients can ask the organisation. Default: they read its name alone.',
  },
);

/** An organisation in the configuration file: how it appears to recipients, and by which rules it pays. */
export const Organisation = Type.Object(
  {
    organisation: Type.String({ minLength: 1, description: 'As credentials name it.' }),
    shownName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 80,
        description: 'As recipients see it. Default: the same.',
      }),
    ),
    logo: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A PNG, JPEG, WebP or SVG file of at most 64 KiB, relative to this file. Recipients see it in place of the name, on white or nearly white.',
      }),
    ),
    logoDark: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Such a file that is seen in place of logo where the reader has chosen a dark scheme. Needs logo. Default: logo is seen there, too.',
      }),
    ),
    colour: Type.Optional(
      Type.String({
        pattern: '^#[0-9a-fA-F]{6}$',
        description:
          'The colour of buttons on the collect page and in its e-mails, such as "#0b4f8a". Every colour can be read: text on it is black or white, and text in it is darkened or lightened as far as it takes.',
      }),
    ),
    support: Type.Optional(Support),
    notices: Type.Optional(Notices),
    recipientApproval: Type.Optional(
      Type.Literal('REQUIRED', {
        description:
          'Recipients are registered, and paid once another credential has approved their details. E-mailed ones are exempt. Default: nobody approves.',
      }),
    ),
    webhookContact: Type.Optional(WebhookContact),
  },
  CLOSED,
);
