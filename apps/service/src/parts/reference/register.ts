import { type Door, registerDocuments } from '@fairway/api';
import { OPERATION_IDS, operation } from '@fairway/wire';
import { exampleOf, samplesOf } from './examples.ts';
import { landingPage, type Shown } from './startPage.ts';

/** Registers the start page, the reference, the OpenAPI document and the pages of problems. */
export function registerReference(door: Door, shown: Shown): void {
  const { publicUrl, isSandbox } = shown;
  registerDocuments(door, {
    publicUrl,
    ids: OPERATION_IDS.filter((id) => isSandbox || operation(id).sandboxOnly !== true),
    startPage: () => landingPage(shown),
    examples() {
      const [url, samples] = [publicUrl(), samplesOf(shown)];
      return (id) => exampleOf(id, url, samples);
    },
  });
}
