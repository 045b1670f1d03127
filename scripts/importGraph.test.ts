import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOLDER_ARROWS } from './folderArrows.ts';
import {
  fileCircleFindings,
  folderArrowFindings,
  folderCircleFindings,
  type ImportEdge,
  importEdges,
} from './importGraph.ts';

/** The imports of a tree in which each file imports the files named beside it. */
function edgesOf(
  tree: Record<string, readonly string[]>,
  statement = "import { x } from 'PATH';",
): ImportEdge[] {
  const sources = Object.entries(tree).map(([path, targets]) => ({
    path,
    text: targets.map((target) => statement.replace('PATH', target)).join('\n'),
  }));
  return importEdges(sources, { '@fairway/plan': 'packages/plan/src/index.ts' });
}

const messages = (findings: readonly { message: string }[]) => findings.map(({ message }) => message);

const STATEMENTS = [
  "import { x } from 'PATH';",
  "import type { X } from 'PATH';",
  "import 'PATH';",
  "export { x } from 'PATH';",
  "export type { X } from 'PATH';",
  "export * from 'PATH';",
  "const x = await import('PATH');",
  "type X = import('PATH').X;",
];

for (const statement of STATEMENTS) {
  test(`a circle of files is found when one of them says: ${statement}`, () => {
    const edges = [
      ...edgesOf({ 'packages/plan/src/a.ts': ['./b.ts'], 'packages/plan/src/b.ts': [] }),
      ...edgesOf({ 'packages/plan/src/b.ts': ['./a.ts'], 'packages/plan/src/a.ts': [] }, statement),
    ];
    assert.deepEqual(fileCircleFindings(edges), [
      {
        place: 'packages/plan/src/a.ts',
        message:
          'files import each other in a circle: packages/plan/src/a.ts -> packages/plan/src/b.ts -> packages/plan/src/a.ts',
      },
    ]);
  });
}

test('a circle of types alone is found', () => {
  const tree = { 'bench/src/a.ts': ['./b.ts'], 'bench/src/b.ts': ['./a.ts'] };
  assert.equal(fileCircleFindings(edgesOf(tree, "import type { X } from 'PATH';")).length, 1);
});

test('a circle of files names the shortest way round and all who are in it', () => {
  const edges = edgesOf({
    'bench/src/a.ts': ['./b.ts', './c.ts'],
    'bench/src/b.ts': ['./c.ts'],
    'bench/src/c.ts': ['./a.ts'],
    'bench/src/d.ts': ['./a.ts'],
  });
  assert.deepEqual(messages(fileCircleFindings(edges)), [
    'files import each other in a circle: bench/src/a.ts -> bench/src/c.ts -> bench/src/a.ts; also in it: bench/src/b.ts',
  ]);
});

test('two circles of files are two findings, and a file that imports itself is one', () => {
  const edges = edgesOf({
    'bench/src/a.ts': ['./b.ts'],
    'bench/src/b.ts': ['./a.ts', './c.ts'],
    'bench/src/c.ts': ['./d.ts'],
    'bench/src/d.ts': ['./c.ts'],
    'bench/src/e.ts': ['./e.ts'],
  });
  assert.deepEqual(
    fileCircleFindings(edges).map(({ place }) => place),
    ['bench/src/a.ts', 'bench/src/c.ts', 'bench/src/e.ts'],
  );
});

test('a circle of files is found across packages and among tests', () => {
  const across = edgesOf({
    'packages/plan/src/index.ts': ['./a.ts'],
    'packages/plan/src/a.ts': ['../../store/src/b.ts'],
    'packages/store/src/b.ts': ['@fairway/plan'],
  });
  assert.equal(fileCircleFindings(across).length, 1);
  const tests = edgesOf({ 'bench/src/a.test.ts': ['./b.test.ts'], 'bench/src/b.test.ts': ['./a.test.ts'] });
  assert.equal(fileCircleFindings(tests).length, 1);
});

test('files that import each other one way only make no circle', () => {
  const edges = edgesOf({
    'bench/src/index.ts': ['./a.ts', './b.ts', './none.ts', 'viem'],
    'bench/src/a.ts': ['./b.ts'],
    'bench/src/b.ts': [],
  });
  assert.deepEqual(fileCircleFindings(edges), []);
});

test('folders that import each other are found though no files do', () => {
  const edges = edgesOf({
    'packages/store/src/collect/a.ts': ['../payments/b.ts'],
    'packages/store/src/payments/b.ts': [],
    'packages/store/src/payments/c.ts': ['../jobs/d.ts'],
    'packages/store/src/jobs/d.ts': ['../collect/e.ts'],
    'packages/store/src/collect/e.ts': [],
  });
  assert.deepEqual(fileCircleFindings(edges), []);
  assert.deepEqual(folderCircleFindings('packages/store/src', edges), [
    {
      place: 'packages/store/src',
      message: 'folders import each other in a circle: collect/ -> payments/ -> jobs/ -> collect/',
    },
  ]);
});

test('a folder that uses a root file which uses the folder is a circle', () => {
  const edges = edgesOf({
    'apps/service/src/config.ts': ['./cli/arguments.ts'],
    'apps/service/src/cli/arguments.ts': [],
    'apps/service/src/cli/start.ts': ['../config.ts'],
  });
  assert.deepEqual(messages(folderCircleFindings('apps/service/src', edges)), [
    'folders import each other in a circle: cli/ -> config.ts -> cli/',
  ]);
});

test('a door, a start and root files that folders use make no circle of folders', () => {
  const edges = edgesOf({
    'apps/service/src/main.ts': ['./cli/start.ts'],
    'apps/service/src/cli/start.ts': ['../run.ts'],
    'apps/service/src/run.ts': ['./http/server.ts', './types.ts'],
    'apps/service/src/http/server.ts': ['../types.ts'],
    'apps/service/src/types.ts': [],
    'apps/service/src/index.ts': ['./http/server.ts', './types.ts'],
  });
  assert.deepEqual(folderCircleFindings('apps/service/src', edges), []);
});

test('folders are compared at every level, and a folder may use its own subfolder', () => {
  const fine = {
    'apps/service/src/collect/flow.ts': ['./pages/page.ts'],
    'apps/service/src/collect/pages/page.ts': ['../views.ts'],
    'apps/service/src/collect/views.ts': [],
  };
  assert.deepEqual(folderCircleFindings('apps/service/src', edgesOf(fine)), []);
  const knot = { ...fine, 'apps/service/src/collect/views.ts': ['./pages/style.ts'] };
  const edges = edgesOf({ ...knot, 'apps/service/src/collect/pages/style.ts': [] });
  assert.deepEqual(folderCircleFindings('apps/service/src', edges), [
    {
      place: 'apps/service/src/collect',
      message: 'folders import each other in a circle: pages/ -> views.ts -> pages/',
    },
  ]);
});

test('a test may import against the folders, and so may the files beside src', () => {
  const edges = edgesOf({
    'packages/evm/src/swap/a.ts': ['../evidence/b.ts'],
    'packages/evm/src/evidence/b.ts': [],
    'packages/evm/src/evidence/b.test.ts': ['../swap/a.ts'],
    'packages/evm/test/c.ts': ['../src/swap/a.ts'],
  });
  assert.deepEqual(folderCircleFindings('packages/evm/src', edges), []);
  const arrows = { swap: ['evidence'], evidence: [] };
  const paths = ['packages/evm/src/swap/a.ts', 'packages/evm/src/evidence/b.ts'];
  assert.deepEqual(folderArrowFindings('packages/evm/src', paths, edges, arrows), []);
});

const ROOTS: Readonly<Record<string, string>> = {
  '@fairway/service': 'apps/service/src',
  '@fairway/bench': 'bench/src',
};

for (const [workspace, arrows] of Object.entries(FOLDER_ARROWS)) {
  const root = ROOTS[workspace] ?? workspace.replace('@fairway/', 'packages/').concat('/src');
  test(`in ${root} every import against a folder arrow is found`, () => {
    const fileOf = (room: string) => `${root}/${room === '.' ? '' : `${room}/`}file.ts`;
    const rooms = [...new Set(['.', ...Object.keys(arrows)])];
    const against = rooms.flatMap((room) =>
      rooms
        .filter((target) => target !== room && arrows[room]?.includes(target) !== true)
        .map((target) => ({ room, target })),
    );
    assert.ok(against.length > 0);
    for (const { room, target } of against) {
      const edges = [{ from: fileOf(room), to: fileOf(target), lineNumber: 3 }];
      const findings = folderArrowFindings(root, rooms.map(fileOf), edges, arrows);
      assert.deepEqual(
        findings.filter(({ message }) => !message.startsWith('no file uses')),
        [{ place: `${fileOf(room)}:3`, message: `${room} must not import ${target}` }],
      );
    }
  });
}

const PARTS = Object.keys(FOLDER_ARROWS['@fairway/service'] ?? {}).filter((room) =>
  room.startsWith('parts/'),
);
const PLATFORM = Object.keys(FOLDER_ARROWS['@fairway/service'] ?? {}).filter((room) =>
  room.startsWith('platform/'),
);
const FORBIDDEN = [
  ...PARTS.flatMap((room) => ['cli', 'work'].map((target) => ({ room, target }))),
  ...PLATFORM.flatMap((room) => ['cli', 'work', 'parts/payments'].map((target) => ({ room, target }))),
  { room: 'parts/payments', target: 'parts/collect' },
  { room: 'parts/trading', target: 'parts/payments' },
];

for (const { room, target } of FORBIDDEN) {
  test(`${room} must not import ${target}, not even a type of it`, () => {
    const root = 'apps/service/src';
    const edges = edgesOf(
      {
        [`${root}/${room}/a.ts`]: ['./b.ts', `${'../'.repeat(room.split('/').length)}${target}/c.ts`],
        [`${root}/${room}/b.ts`]: [],
        [`${root}/${target}/c.ts`]: [],
      },
      "import type { X } from 'PATH';",
    );
    const findings = folderArrowFindings(root, [], edges, FOLDER_ARROWS['@fairway/service'] ?? {});
    assert.deepEqual(
      findings.filter(({ place }) => place !== root),
      [{ place: `${root}/${room}/a.ts:2`, message: `${room} must not import ${target}` }],
    );
  });
}

test('a folder without arrows, an entry without a folder and an unused arrow are found', () => {
  const root = 'packages/engine/src';
  const paths = [`${root}/index.ts`, `${root}/exact/a.ts`, `${root}/search/b.ts`, `${root}/fresh/c.ts`];
  const edges = edgesOf({ [`${root}/search/b.ts`]: ['../exact/a.ts'], [`${root}/exact/a.ts`]: [] });
  const arrows = { search: ['exact', '.'], exact: [], old: ['exact'] };
  assert.deepEqual(folderArrowFindings(root, paths, edges, arrows), [
    { place: `${root}/fresh`, message: 'fresh has no arrows: add it to FOLDER_ARROWS' },
    { place: root, message: 'no file uses the arrow search -> .: take it out' },
    { place: root, message: 'old is in FOLDER_ARROWS and not in the tree: take it out' },
  ]);
});

test('a workspace without folders needs no entry until it has one', () => {
  const edges = edgesOf({ 'packages/wire/src/a.ts': ['./b.ts'], 'packages/wire/src/b.ts': [] });
  assert.deepEqual(folderArrowFindings('packages/wire/src', ['packages/wire/src/a.ts'], edges, {}), []);
  const paths = ['packages/wire/src/a.ts', 'packages/wire/src/fresh/b.ts'];
  assert.equal(folderArrowFindings('packages/wire/src', paths, [], {}).length, 1);
});
