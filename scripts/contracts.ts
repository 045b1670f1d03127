// Compiles packages/*/contracts/*.sol into packages/*/artifacts/*.json.
// With --check nothing is written: a difference from what is committed is reported and ends with exit code 1.
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import solc from 'solc';

const root = dirname(import.meta.dirname);

type Compiled = {
  readonly abi: unknown;
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly deployedBytecode: { readonly object: string };
  };
};
type CompilerOutput = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
};

/** The compiler's settings: no metadata hash, so that comments and paths do not change the bytecode. */
const SETTINGS = {
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
};

/** The artifact's text for one source file, which holds one contract of the same name. Throws the compiler's words. */
function artifactOf(sourcePath: string): string {
  const file = basename(sourcePath);
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(sourcePath, 'utf8') } },
    settings: SETTINGS,
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  const complaints = output.errors ?? [];
  if (complaints.length > 0) throw new Error(complaints.map((each) => each.formattedMessage).join('\n'));
  const contract = output.contracts?.[file]?.[basename(file, '.sol')];
  if (contract === undefined) throw new Error(`${sourcePath}: no contract named ${basename(file, '.sol')}`);
  const artifact = {
    abi: contract.abi,
    bytecode: `0x${contract.evm.bytecode.object}`,
    deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
  };
  return `${JSON.stringify(artifact, null, 2)}\n`;
}

function main(check: boolean): number {
  const sources = globSync('packages/*/contracts/*.sol', { cwd: root }).sort();
  const expected = new Set<string>();
  let drifted = 0;
  for (const source of sources) {
    const artifactPath = join(dirname(dirname(source)), 'artifacts', `${basename(source, '.sol')}.json`);
    expected.add(artifactPath);
    const wanted = artifactOf(join(root, source));
    const absolute = join(root, artifactPath);
    const present = existsSync(absolute) ? readFileSync(absolute, 'utf8') : undefined;
    if (present === wanted) continue;
    drifted += 1;
    if (check) {
      console.error(`${artifactPath} is not what ${source} compiles to. Run: npm run contracts`);
    } else {
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, wanted);
      console.log(`wrote ${artifactPath}`);
    }
  }
  for (const orphan of globSync('packages/*/artifacts/*.json', { cwd: root })) {
    if (expected.has(orphan)) continue;
    drifted += 1;
    console.error(`${orphan} has no source in contracts/. Remove it.`);
  }
  console.log(`${sources.length} contracts, ${drifted} ${check ? 'drifted' : 'changed'}`);
  return check && drifted > 0 ? 1 : 0;
}

process.exitCode = main(process.argv.includes('--check'));
