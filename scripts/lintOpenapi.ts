/**
 * Lints the OpenAPI document with the recommended rules of Redocly and of Spectral, as their command-line tools would.
 * Fails when one reports anything, warnings too.
 */
import { openApiDocument, openApiText } from '@fairway/wire';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

const source = openApiText(openApiDocument('https://fairway.example'), 2);

const findings = [...(await redoclyFindings()), ...(await spectralFindings())];
for (const finding of findings) process.stderr.write(`${finding}\n`);
if (findings.length > 0) process.exitCode = 1;

async function redoclyFindings(): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(
    ({ ruleId, message, location }) => `redocly ${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  );
}

async function spectralFindings(): Promise<readonly string[]> {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({
    // Its own types do not allow for exactOptionalPropertyTypes.
    extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']],
    // It compiles the whole document anew for each example, which takes a minute. Redocly checks the examples, too, and
    // so does apps/service/test/openApiDocument.test.ts, with formats.
    rules: { 'oas3-valid-media-example': 'off' },
  });
  const problems = await spectral.run(JSON.parse(source) as Record<string, unknown>);
  return problems.map(({ code, message, path: place }) => `spectral ${code}: ${message} ${place.join('/')}`);
}
