/**
 * `npm run nightly:timing`: whether the time that a refused sign-in takes tells if its user name exists. It times
 * 100,000 pairs of one sign-in with a name that exists and one with a name that does not, in random order. It fails
 * when t is at least 4.5 in size. The time of the database to find a row or none is not included. `--plant` makes
 * unknown names cheaper by what comparing hashes costs, to show that this is found.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { createAuthenticator, createSecretHasher, type CredentialRecord } from '../../src/index.ts';
import { welchT } from './welch.ts';

const PAIRS = Number(process.env['PAIRS'] ?? 100_000);
const WARM_UP = 5_000;
const LIMIT = 4.5;
/** Slower than this share of all is not the sign-in's own time but the machine's: a collection, an interrupt. */
const KEPT_SHARE = 0.95;

const isPlanted = process.argv.includes('--plant');
const hasher = createSecretHasher(randomBytes(32));
const secrets = {
  ...hasher,
  isEqual: (presented: Buffer, stored: Buffer | undefined | null) =>
    isPlanted && stored == null ? false : hasher.isEqual(presented, stored),
};
const names = { known: newName(), unknown: newName() };
const record = recordOf(names.known);
const authenticate = createAuthenticator({
  store: {
    secrets,
    findCredential: async (name) => ({ ok: true, record: name === names.known ? record : undefined }),
  },
  nowMs: () => Date.now(),
});

/** The time of a refused sign-in, in nanoseconds. */
async function timeOf(name: string): Promise<number> {
  const startedAt = process.hrtime.bigint();
  await authenticate(name, 'wrong');
  return Number(process.hrtime.bigint() - startedAt);
}

function newName(): string {
  return `cred_${randomBytes(16).toString('hex')}`;
}

function recordOf(username: string): CredentialRecord {
  return {
    username,
    organisationId: 'org_1',
    environment: 'sandbox',
    permissions: [],
    secretHash: hasher.hash(username, 'right'),
    previousSecretHash: undefined,
    previousValidUntilMs: 0,
    expiresAtMs: Number.POSITIVE_INFINITY,
    isRevoked: false,
  };
}

/** The times of both kinds, after some that are only there to warm up. */
async function timePairs(): Promise<{ readonly known: number[]; readonly unknown: number[] }> {
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
  for (let pair = -WARM_UP; pair < PAIRS; pair += 1) {
    const order = randomInt(2) === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const kind of order) {
      const taken = await timeOf(names[kind]);
      if (pair >= 0) times[kind].push(taken);
    }
  }
  return times;
}

const times = await timePairs();
const both = [...times.known, ...times.unknown].sort((a, b) => a - b);
const most = both[Math.floor(both.length * KEPT_SHARE)] ?? 0;
const kept = (sample: readonly number[]) => sample.filter((taken) => taken <= most);
const t = welchT(kept(times.known), kept(times.unknown));
const mean = (sample: readonly number[]) => sample.reduce((sum, taken) => sum + taken, 0) / sample.length;
console.log(
  `${PAIRS} pairs: known ${mean(kept(times.known)).toFixed(0)} ns, unknown ${mean(kept(times.unknown)).toFixed(0)} ns, t = ${t.toFixed(2)}`,
);
if (!(Math.abs(t) < LIMIT)) {
  console.error(`|t| must be below ${LIMIT}: the time tells whether a user name exists.`);
  process.exitCode = 1;
}
