/** For each folder of a workspace's `src` the sibling folders it may import; `.` is the files directly in `src`. */
export type FolderArrows = Readonly<Record<string, readonly string[]>>;

/** The folders of the service that http and sandbox may import. */
const BELOW_HTTP = [
  'chains',
  'collect',
  'config',
  'fields',
  'locales',
  'mail',
  'metrics',
  'payments',
  'problems',
  'recipients',
  'text',
  'time',
  'trading',
];

/**
 * The arrows between the folders of each workspace, by the workspace's name. An import without an arrow is
 * refused, and so is an arrow without an import. A workspace without folders needs no entry.
 */
export const FOLDER_ARROWS: Readonly<Record<string, FolderArrows>> = {
  // cli -> run -> http, sandbox -> collect -> payments -> trading, recipients -> fields, problems, text
  '@fairway/service': {
    '.': ['cli', 'database', 'http', 'sandbox', 'work', ...BELOW_HTTP],
    cli: ['.', 'chains', 'config', 'database', 'fields', 'metrics', 'sandbox', 'text', 'time', 'trading'],
    http: BELOW_HTTP,
    sandbox: BELOW_HTTP,
    work: ['collect', 'config', 'payments'],
    collect: ['config', 'fields', 'locales', 'mail', 'payments', 'problems', 'recipients', 'text', 'time'],
    payments: ['chains', 'config', 'fields', 'problems', 'recipients', 'text', 'time', 'trading'],
    trading: ['chains', 'fields', 'problems', 'text', 'time'],
    recipients: ['fields', 'problems', 'text'],
    fields: ['problems', 'text', 'time'],
    mail: ['config', 'locales', 'text'],
    locales: ['text'],
    chains: ['config', 'metrics', 'text', 'time'],
    database: ['config', 'time'],
    metrics: ['config', 'text'],
    config: ['text', 'time'],
    problems: ['text'],
    text: [],
    time: [],
  },
  '@fairway/engine': {
    '.': ['exact', 'explain', 'search'],
    explain: ['.', 'exact', 'search'],
    search: ['.', 'exact'],
    exact: ['.'],
  },
  '@fairway/evm': {
    '.': ['evidence', 'snapshot', 'swap'],
    evidence: ['.'],
    snapshot: ['.'],
    swap: ['.'],
  },
  '@fairway/store': {
    '.': ['collect', 'jobs', 'migrations', 'payments'],
    collect: ['.', 'payments'],
    payments: ['.'],
    jobs: ['.'],
    migrations: [],
  },
  '@fairway/recipients': {
    '.': ['accounts', 'kinds', 'types'],
    types: ['accounts', 'kinds'],
    accounts: ['kinds'],
    kinds: [],
  },
  '@fairway/bench': {
    routing: ['.', 'route'],
    route: ['.'],
  },
};
