import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { repositoryRoot } from './repository.ts';
import { codeOf, importsOf } from './sourceText.ts';
import type { Finding } from './tidy.ts';
import { compile } from './types.ts';

/** A code block of a docstring: the function it is about, and where its first line stands (from 1). */
export type Example = { packageName: string; functionName: string; path: string; line: number; code: string };

/** The examples of a package, and a finding for each function without an example that uses the function. */
export type ExamplesReading = { examples: Example[]; findings: Finding[] };

/** Where an exported name is declared: the line is counted from 0. */
type Declaration = { path: string; lineIndex: number };

const EXPORT_LIST = /^export (?:(type) )?(\{[^}]*\}|\*) from '([^']+)'/gm;
const FUNCTION =
  /^export (?:async )?function\*? (\w+)|^export const (\w+)\b.*? = (?:async )?(?:function\b|\(.*=>|\w+ =>|\($|<)/;

/**
 * Reads the docstring of every function that a package exports through its index. The index is a path among the
 * sources (paths from the root, with their texts). Each must have an `@example` with a block of TypeScript that
 * imports the function from the package and uses it.
 */
export function readExamples(
  packageName: string,
  index: string,
  sources: ReadonlyMap<string, string>,
): ExamplesReading {
  const examples: Example[] = [];
  const findings: Finding[] = [];
  for (const [functionName, { path, lineIndex }] of exportedFunctions(index, sources)) {
    const lines = (sources.get(path) ?? '').split('\n');
    const blocks = blocksAbove(lines, lineIndex);
    if (blocks.length === 0) {
      const message = `${functionName} is exported by ${packageName} without an @example that begins with \`\`\`ts`;
      findings.push({ place: `${path}:${lineIndex + 1}`, message });
    }
    for (const { line, code } of blocks) {
      const example = { packageName, functionName, path, line, code };
      examples.push(example);
      findings.push(...exampleFindings(example));
    }
  }
  return { examples, findings };
}

/**
 * Compiles all examples together, each as a module that sees the packages by their names. Lists what the compiler
 * says at the lines of their docstrings.
 */
export async function compileExamples(
  examples: readonly Example[],
  root: string = repositoryRoot,
): Promise<Finding[]> {
  if (examples.length === 0) return [];
  const cache = join(root, 'node_modules/.cache/fairway');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'examples-'));
  try {
    for (const [index, { code }] of examples.entries())
      writeFileSync(join(folder, `example${index}.ts`), code);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const configuration = {
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: {
        types: ['node'],
        noUnusedLocals: false,
        noUnusedParameters: false,
        moduleDetection: 'force',
      },
      files: examples.map((_, index) => `example${index}.ts`),
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
    const { exitCode, rest } = await compile(join(folder, 'tsconfig.json'));
    return exitCode === 0 ? [] : complaintsAt(examples, rest);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The functions that a file exports, by the names it exports them under. */
function exportedFunctions(path: string, sources: ReadonlyMap<string, string>): Map<string, Declaration> {
  const source = sources.get(path) ?? '';
  const found = new Map<string, Declaration>();
  for (const [lineIndex, line] of source.split('\n').entries()) {
    const [, declared, assigned] = FUNCTION.exec(line) ?? [];
    const name = declared ?? assigned;
    if (name !== undefined && !found.has(name)) found.set(name, { path, lineIndex });
  }
  for (const [, onlyTypes, list = '', specifier = ''] of source.matchAll(EXPORT_LIST)) {
    if (onlyTypes !== undefined) continue;
    const behind = exportedFunctions(posix.join(posix.dirname(path), specifier), sources);
    for (const [name, declaration] of behind) {
      const exported = list === '*' ? name : exportedAs(name, list);
      if (exported !== undefined) found.set(exported, declaration);
    }
  }
  return found;
}

/** The name under which a list in braces exports `name`; `undefined` when it does not. */
function exportedAs(name: string, list: string): string | undefined {
  for (const entry of list.slice(1, -1).split(',')) {
    const [original, exported = original] = entry.trim().split(' as ');
    if (original === name) return exported;
  }
  return undefined;
}

/** The blocks of TypeScript under `@example` in the docstring that ends right above a line. */
function blocksAbove(lines: readonly string[], lineIndex: number): { line: number; code: string }[] {
  if (lines[lineIndex - 1]?.trim() !== '*/') return [];
  const start = lines.findLastIndex((line, index) => index < lineIndex && line.startsWith('/**'));
  const blocks: { line: number; code: string[] }[] = [];
  let place: 'prose' | 'example' | 'block' = 'prose';
  for (const [offset, line] of lines.slice(start, lineIndex).entries()) {
    const text = line.replace(/^ \* ?/, '');
    if (place === 'block' && text.startsWith('```')) place = 'prose';
    else if (place === 'block') blocks.at(-1)?.code.push(text);
    else if (text.startsWith('@example')) place = 'example';
    else if (place === 'example' && text === '```ts') {
      place = 'block';
      blocks.push({ line: start + offset + 2, code: [] });
    }
  }
  return blocks.map(({ line, code }) => ({ line, code: code.join('\n') }));
}

/** Checks that an example imports by package names, and imports and uses the function that it is about. */
function exampleFindings({ packageName, functionName, path, line, code }: Example): Finding[] {
  const place = `${path}:${line}`;
  const byPath = importsOf(code).filter(({ specifier }) => /^[./]/.test(specifier));
  const findings = byPath.map(({ specifier }) => ({
    place,
    message: `the example imports ${specifier}: import a package by its name`,
  }));
  const name = new RegExp(String.raw`\b${functionName}\b`, 'g');
  const isImported = importsOf(code).some(({ specifier }) => specifier === packageName);
  if (!isImported || (codeOf(code).match(name) ?? []).length < 2) {
    findings.push({
      place,
      message: `the example does not import ${functionName} from ${packageName} and use it`,
    });
  }
  return findings;
}

/** Moves the compiler's complaints from the written modules to the docstrings they come from. */
function complaintsAt(examples: readonly Example[], output: string): Finding[] {
  return output
    .trim()
    .split(/\n(?!\s)/)
    .map((complaint) => {
      const [, index, line, message] = /\bexample(\d+)\.ts\((\d+),\d+\): (.*)$/s.exec(complaint) ?? [];
      const example = examples[Number(index)];
      if (example === undefined) return { place: 'examples', message: complaint };
      return {
        place: `${example.path}:${example.line + Number(line) - 1}`,
        message: `the example of ${example.functionName} does not compile: ${message}`,
      };
    });
}
