export { sendEndpointMail } from './endpointMail.ts';
export { registerServiceNotifications, type ServiceEndpointParts } from './register.ts';
