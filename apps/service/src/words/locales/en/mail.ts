import type { MailTexts } from '../mailTexts.ts';

/** The e-mails in English. */
export const MAIL: MailTexts = {
  greeting: 'Hello,',
  greetingByName: 'Hello {name},',
  linkFirst: {
    subject: '{organisation} is sending you a payment',
    opening: '{organisation} is sending you {amount}.',
  },
  linkReplaced: {
    subject: 'A new link for your payment from {organisation}',
    opening:
      'Here is a new link for the {amount} that {organisation} is sending you. The link in our last e-mail no longer works.',
  },
  linkReissued: {
    subject: 'Your payment from {organisation} is waiting for you',
    opening: '{organisation} is sending you {amount}. The earlier link has ended; this one takes its place.',
  },
  linkReopened: {
    subject: 'Please check where your payment from {organisation} should go',
    opening:
      'The {amount} that {organisation} is sending you could not be paid to the destination you chose. Please enter its details again, or choose another one.',
  },
  link: {
    steps:
      'Open the link below, choose where the money should go, and enter the details. We then send a six-digit code to this e-mail address; enter it to confirm.',
    button: 'Choose where to be paid',
    copy: 'Or copy this address into your browser:',
    until: 'The link works until {expires}. It is for you alone: please do not forward this e-mail.',
    site: 'The page is at {site}. Check that your browser shows this name before you enter anything.',
    message: 'Message from {organisation}:',
    unexpected:
      'If you do not expect this payment, you need not do anything: the link ends by itself. To be sure, ask {organisation} in a way you already know, not by replying to this e-mail.',
  },
  code: {
    subject: 'Your code for the payment from {organisation}',
    opening:
      'Details were entered for the {amount} that {organisation} is sending you. To confirm them, enter this code on the page:',
    confirms: 'What it confirms: {destination}.',
    until: 'The code works until {expires}.',
    secret: 'Enter it only at {site}, on the page that asked for the details. Do not tell it to anyone.',
    unexpected:
      'If you did not enter these details, do not use this code: without it nothing is paid. Please tell {organisation}, in a way you already know, that someone else may have your link.',
  },
  reminder: {
    subject: 'Reminder: your payment from {organisation} is waiting for you',
    opening: '{organisation} is sending you {amount}. You have not chosen yet where it should go.',
    steps:
      'Open the link in our last e-mail about this payment. It works until {expires}. If you cannot find that e-mail, ask {organisation} for a new link.',
  },
  confirmation: {
    subject: 'We have your details for the payment from {organisation}',
    opening: 'You chose where the {amount} from {organisation} should go: {destination}.',
    next: 'The payment is being prepared. There is nothing more for you to do.',
    unexpected: 'If you did not choose this, tell {organisation} at once, in a way you already know.',
  },
  delivered: {
    subject: 'Your payment from {organisation} has been made',
    opening: 'The {amount} from {organisation} has been paid to the destination you chose: {destination}.',
    next: 'It can take a while until it shows there.',
    unexpected: 'If the money does not arrive, ask {organisation}.',
  },
  destinations: {
    bank: 'bank account ending in {ending}',
    wallet: 'wallet {address}',
    emoney: '{provider} wallet ending in {ending}',
  },
  endpoint: {
    failing: {
      subject: 'A webhook endpoint of {organisation} is failing',
      opening:
        'No event of {organisation} ({environment}) has reached the webhook endpoint {endpoint} at {host} since {since}.',
      next: 'Events are sent again for days, but after five days of failures the endpoint is disabled. GET /v1/webhook_endpoints/{endpoint}/deliveries shows what its receiver answers.',
    },
    recovered: {
      subject: 'A webhook endpoint of {organisation} works again',
      opening:
        'The webhook endpoint {endpoint} of {organisation} ({environment}) at {host} took an event on {at}, after it had failed.',
      next: 'What waited for another attempt is sent by itself. POST /v1/webhook_endpoints/{endpoint}/recover sends it at once, and what has failed for good, too.',
    },
    gone: {
      subject: 'A webhook endpoint of {organisation} is disabled',
      opening:
        'The webhook endpoint {endpoint} of {organisation} ({environment}) at {host} answered 410 on {at}: it wants nothing more, and gets nothing more.',
      next: 'If this was a mistake, mend its receiver, then use POST /v1/webhook_endpoints/{endpoint}/enable, and /recover for what it has missed.',
    },
    disabled: {
      subject: 'A webhook endpoint of {organisation} is disabled',
      opening:
        'The webhook endpoint {endpoint} of {organisation} ({environment}) at {host} had failed for five days, and gets nothing more since {at}.',
      next: 'Mend its receiver, then use POST /v1/webhook_endpoints/{endpoint}/enable, and /recover for what it has missed.',
    },
    footer:
      'You get this e-mail because the operator of {site} has your address for the webhooks of {organisation}. Replies to this e-mail are not read.',
  },
  neverAsked:
    'Nobody will ask you for a password, a private key or a recovery phrase: not on the page, not by e-mail and not by phone.',
  contact: 'How to reach {organisation}:',
  footer: '{organisation} sends this payment through {site}. Replies to this e-mail are not read.',
};
