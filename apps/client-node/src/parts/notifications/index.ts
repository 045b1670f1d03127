export { startNotifications } from './start.ts';
