const TITLE = 'Fairway: live quotes, swap instructions and payment plans over EVM chains.';

/** What each command is for, in the order in which a new operator needs them. */
const PURPOSES: readonly (readonly [command: string, purpose: string])[] = [
  ['start', 'run the service; without --config, a sandbox with a chain of its own'],
  ['config', 'write the configuration of a service of your own, to try it on the sandbox'],
  ['credentials', 'make, list, renew and end the user names and passwords of callers'],
  ['plans', 'find payments that wait for a person, and help them on'],
  ['quote', 'derive a quote from the chain itself'],
  ['explain', 'the same, and why it is as it is'],
  ['listen', 'have events sent to a receiver on your machine while you build it'],
  ['trigger', 'make an event happen in the sandbox'],
  ['migrate', 'bring the database up to date'],
  ['recover', 'go on after a backup of the database was put back'],
  ['keys', 'make a key that seals the details of recipients'],
  ['reseal', "seal recipients' details with another key"],
  ['audit', 'verify the audit log and the ledger'],
];

/** What each command takes; several commands share a part. */
const PARTS: readonly (readonly [commands: readonly string[], text: string])[] = [
  [
    ['start'],
    `  fairway start [options]              run the service; without --config, a sandbox with a chain of its own
      --port N                         port to listen on; 0 takes any free one (default 8080)
      --host HOST                      address to listen on (default 127.0.0.1)
      --tls-cert FILE, --tls-key FILE  speak HTTPS with this certificate and its private key, both in PEM form
      --audit-log FILE                 write the audit log here (default: audit.log in the data folder)
      --erasure-log FILE               note recipients that are erased here too, outside the data folder
      --config FILE                    serve the chains of this file instead of the sandbox
      --data DIR                       keep the database and the sandbox chain here across restarts
      --ready-file PATH                write {url, username, password, chainId, rpcUrl} here when ready
      --client-node                    with a Client Node beside the sandbox, which executes swaps and payments; on
                                       port 8090, with --port on any free one, or on FAIRWAY_NODE_PORT
      --log-level LEVEL                trace, debug, info, warn, error or silent (default info)`,
  ],
  [
    ['credentials'],
    `  fairway credentials create --organisation NAME [--permissions LIST] [--environment ENVIRONMENT]
                             [--expires-in DURATION]
                                       LIST: roles (integrator, finance, approver, operator, read-only) and single
                                       permissions, separated by commas (default integrator: all but approve)
  fairway credentials rotate USERNAME [--overlap DURATION]
  fairway credentials revoke USERNAME
  fairway credentials list
      --data DIR                       the data folder of the service, which may be running
      --audit-log FILE                 the audit log of the service, where it is not in the data folder
      --json                           print one JSON object for scripts`,
  ],
  [
    ['plans'],
    `  fairway plans list [--stuck] [--limit N]
                                       the open plans of all organisations, the one unchanged for longest first;
                                       --stuck: those that wait for a person or are overdue
  fairway plans list --due             every payout that is due, to be compared with the custodian's list; after
                                       fairway recover also those that may have been made since
  fairway plans show PLAN              what happened to a plan, where its money is, and what has to happen next
  fairway plans again PLAN [--force]   do once more what fits the state, as POST .../again does
  fairway plans end PLAN --revision N [--reason REASON] [--note TEXT] [--force]
                                       end a plan whatever happened to it, as POST .../end does; N is the revision
                                       that show prints: what is left then counts as known; REASON is REFUNDED,
                                       SETTLED_ELSEWHERE, ABANDONED or OTHER, and needed once money has moved
      --config FILE                    the chains that a plan is compared with before again and end; end
                                       --force needs none, and show tells with them what the deposit address holds
      --ready-file PATH                the same for the running sandbox that wrote this file
      --data DIR                       the data folder of the service, which may be running
      --audit-log FILE                 the audit log of the service, where it is not in the data folder
      --json                           print one JSON object for scripts`,
  ],
  [
    ['quote', 'explain'],
    `  fairway quote --in TOKEN --out TOKEN --amount N [options]
                                       derive a quote from the chain itself, the service's own of that block
  fairway explain --in TOKEN --out TOKEN --amount N [options] [--svg FILE]
                                       the same, and why: the pools considered, used and refused, with
                                       reasons, prices before and after; --svg draws the route
      --config FILE                    ask a chain of this file
      --ready-file PATH                ask the running sandbox that wrote this file
      --chain ID                       which chain; may be left out where there is only one
      --exact-out                      N is the exact output wanted, not the exact input
      --at-block HASH                  the block, such as route.blockHash of a quote (default: the latest)
      --max-splits N, --max-hops N, --exclude-sources LIST, --exclude-tokens LIST, --exclude-pools LIST
                                       limits as in the API, with its defaults
      --priority-fee WEI               what gas costs beyond the base fee, such as fees.gas.priorityFeePerGas of a
                                       quote (default: the median of the blocks before)
      --json                           print one JSON object for scripts; of quote, the body of /v1/quote
                                       without its times`,
  ],
  [
    ['listen', 'trigger'],
    `  fairway listen --forward URL         forward events to your receiver as they happen, as signed webhooks
      --type LIST                      these types alone, such as payment_plan.*
      --after PLACE                    begin behind this event (evt_…) or cursor, in place of where it ended;
                                       now: pass over what was missed
      --state FILE                     keep how far events were forwarded, and the secret, here
                                       (default .fairway-listen.json)
  fairway trigger TYPE                 make an event of this type in the sandbox, such as payment_plan.completed
      --ready-file PATH                the running sandbox that wrote this file
      --service URL                    another service; FAIRWAY_USERNAME and FAIRWAY_PASSWORD hold the credential`,
  ],
  [
    ['config'],
    `  fairway config sandbox               write the configuration of a service of your own on the sandbox's chain, with
                                       its contracts, tokens, corridors and mail server
      --out FILE                       where to (default fairway.json, with fairway.tokens.json beside it)
      --port N                         where your service will listen (default 8081)
      --ready-file PATH                the running sandbox that wrote this file
      --service URL                    another address of it; FAIRWAY_USERNAME and FAIRWAY_PASSWORD hold the credential`,
  ],
  [['migrate'], `  fairway migrate [--data DIR]         bring the database up to date`],
  [
    ['reseal'],
    `  fairway reseal [--data DIR] [--json] seal recipients' details with the first of FAIRWAY_SEALING_KEYS
      --lost ID                        give up a sealing key that is lost for ever
      --lost-fingerprints              replace the key of the fingerprints, which no backup has`,
  ],
  [
    ['recover'],
    `  fairway recover --since TIME         a backup of this time was put back: the chains are read again from then on
      --erasure-log FILE               the file of erasures of the service: whom it names is erased again
      --data DIR, --audit-log FILE, --json
                                       as for plans`,
  ],
  [
    ['keys'],
    `  fairway keys create ID --kms KEY --region REGION --out FILE
                                       have AWS KMS make a sealing key, and write it down wrapped
      --endpoint URL                   of a compatible service (default: that of AWS in the region)`,
  ],
  [
    ['audit'],
    `  fairway audit log [FILE...]          verify the audit log, or its files in their order, the oldest first
      --head CHAIN:LINES:HEAD          the end of a chain as the metrics or an earlier file told it; may be given
                                       many times
  fairway audit ledger [--data DIR]    compare the ledger of every plan with its history and its claims
  fairway audit address IP             the name that an address has in the audit log
      --data DIR                       the data folder of the service
      --json                           print what was found as one JSON object`,
  ],
];

const SUMMARY = PURPOSES.map(([command, purpose]) => `  fairway ${command.padEnd(13)} ${purpose}`);

const MORE = `  fairway help COMMAND  what a command takes, and the variables that all of them read
  fairway version`;

const NOTES = `Every option of start can be set as FAIRWAY_PORT, FAIRWAY_HOST, FAIRWAY_CONFIG, FAIRWAY_DATA,
FAIRWAY_READY_FILE, FAIRWAY_LOG_LEVEL, FAIRWAY_TLS_CERT, FAIRWAY_TLS_KEY. DATABASE_URL names a PostgreSQL
server to use instead of the embedded one, FAIRWAY_SERVER_KEY the 32 bytes (64 hex digits) that key the
hashes of secrets.
FAIRWAY_SEALING_KEYS is ID:KEY,...: the keys (64 hex digits) that seal recipients' details: the first seals, all open;
ID:file:PATH reads a key from a file, ID:kms:PATH has AWS KMS unwrap the key in a file.
FAIRWAY_ERASURE_LOG names the file of erasures. FAIRWAY_AUDIT_LOG names the audit log's file, FAIRWAY_AUDIT_KEY its key: 64 hex digits, or
file:PATH of a file that holds them.
TOKEN is an address or a symbol. --amount counts smallest units, as the API does: 1 USDC is 1000000.
DURATION is ISO 8601, such as PT24H or P90D. LIST is separated by commas.
`;

/** The names of all commands. */
export const COMMANDS: readonly string[] = PURPOSES.map(([command]) => command);

/** What `fairway help` prints. */
export const USAGE = [TITLE, SUMMARY.join('\n'), MORE].join('\n\n');

/** What `fairway help COMMAND` prints; undefined when there is no such command. */
export function usageOf(command: string): string | undefined {
  const part = PARTS.find(([commands]) => commands.includes(command));
  return part && [TITLE, part[1], NOTES].join('\n\n');
}
