import type { Door } from '@fairway/api';
import type { AuditPort } from '../../platform/audit/facts.ts';
import { registerCollectPages } from './pages.ts';
import type { CollectParts } from './parts.ts';
import { registerCollectRequests } from './requests.ts';

/** Registers the recipient's pages, and the requests that ask recipients. */
export function registerCollect(door: Door, parts: CollectParts, audit: AuditPort): void {
  registerCollectPages(door, parts, audit);
  registerCollectRequests(door.registrar, parts);
}
