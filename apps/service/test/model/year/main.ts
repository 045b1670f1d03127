/**
 * `npm run nightly:reports`: the reports of a year, compared with the second ledger. FC_PLANS: of how many plans at least (50,000);
 * FC_SEED: of the first world, which is printed. Ends with exit code 1 at the first difference.
 */
import { seed } from '@fairway/testing/properties';
import { wholeNumber } from '../../wholeNumber.ts';
import { openGround } from './ground.ts';
import { holdYear } from './holdYear.ts';

const plans = wholeNumber('FC_PLANS', process.env['FC_PLANS'] ?? '50000', 1);
const ground = await openGround(3);
try {
  await holdYear(ground, { plans, seed, everyNth: 60 }, console.log);
  console.log(`at most ${Math.round(process.resourceUsage().maxRSS / 1_000)} MB`);
} finally {
  await ground.close();
}
