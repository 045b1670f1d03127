export type { CollectParts } from './parts.ts';
export { playSubmission } from './playRecipient.ts';
export { createOrganisations } from './organisations.ts';
export { sendMail } from './sendMail.ts';
export { sendOwedLink } from './sendOwedLink.ts';
export { registerCollect } from './register.ts';
