import { type Door, registerDocuments } from '@fairway/api';
import { OPERATION_IDS, operation } from '@fairway/wire';
import { exampleOf, samplesOf } from './examples.ts';
import { guidesOf } from './guides.ts';
import type { Shown } from './shown.ts';
import { landingPage } from './startPage.ts';

/** Registers the start page, the guides, the reference, the OpenAPI document and the pages of problems. */
export function registerReference(door: Door, shown: Shown): void {
  const { publicUrl, isSandbox } = shown;
  registerDocuments(door, {
    publicUrl,
    ids: OPERATION_IDS.filter((id) => isSandbox || operation(id).sandboxOnly !== true),
    startPage: () => landingPage(shown),
    guides: guidesOf(shown),
    examples() {
      const [url, samples] = [publicUrl(), samplesOf(shown)];
      return (id) => exampleOf(id, url, samples);
    },
  });
}
