import assert from 'node:assert/strict';
import { openApiDocument } from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);
ajv.addFormat('uint64', true);
ajv.addSchema(openApiDocument('https://fairway.example'), 'openapi');

/** Asserts that each event fits the schema that the OpenAPI document has for its type under `webhooks`; answers the types. */
export function assertDescribed(events: readonly object[]): ReadonlySet<string> {
  const types = new Set<string>();
  for (const event of events) {
    assert.ok('type' in event && typeof event.type === 'string');
    const content = `webhooks/${event.type}/post/requestBody/content/application~1json/schema`;
    const check = ajv.getSchema(`openapi#/${content}`) ?? assert.fail(`${event.type} is not described`);
    assert.ok(check(event), `${ajv.errorsText(check.errors)} in ${JSON.stringify(event)}`);
    types.add(event.type);
  }
  return types;
}
