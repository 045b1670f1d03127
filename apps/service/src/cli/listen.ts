import { parseCommand } from '../platform/config/commandLine.ts';
import { UsageError } from '../platform/config/error.ts';
import { hasLogin, readServiceAccess } from '../platform/config/serviceAccess.ts';
import { followEvents, StreamRefused } from './listen/followEvents.ts';
import { forward } from './listen/forward.ts';
import { openKeptPlace } from './listen/keptPlace.ts';
import { CommandError } from './commandError.ts';
import type { Terminal } from './terminal.ts';

const OPTIONS = {
  forward: { type: 'string' },
  service: { type: 'string' },
  'ready-file': { type: 'string' },
  type: { type: 'string' },
  state: { type: 'string' },
  after: { type: 'string' },
} as const;

const STATE_FILE = '.fairway-listen.json';

/**
 * `fairway listen --forward URL`: forwards events to a receiver under development, as webhooks, until a signal. Returns the
 * exit code.
 * @throws UsageError, ConfigError, CommandError
 */
export async function listenCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseCommand(args, OPTIONS, false);
  const url = receiverOf(values.forward);
  const access = readServiceAccess(
    { service: values.service, readyFile: values['ready-file'] },
    terminal.environment,
  );
  const statePath = values.state ?? STATE_FILE;
  const place = openKeptPlace(statePath, access);
  const signal = terminal.untilStopped(false);
  const say = (line: string) => terminal.output.write(`${line}\n`);
  const after = values.after ?? place.after ?? 'now';
  const from =
    after === 'now' ? 'from now on' : values.after === undefined ? 'from where it ended' : `after ${after}`;
  // Nothing follows the secret, so that it can be copied as a word.
  say(`The secret and how far events were forwarded are kept in ${statePath}. Signed with ${place.secret}`);
  const { key } = place;
  const onAway = (why: string) => say(`No answer from ${url} (${why}); trying until there is one.`);
  try {
    const events = followEvents({
      access,
      types: values.type,
      after,
      signal,
      onLost: (why) => say(`No events from the service (${why}); trying until they come.`),
      onFound: () => say('Events come again.'),
    });
    let isFirst = true;
    for await (const { id, text, isResent } of events) {
      if (isFirst) say(`Forwarding the events of ${access.url} to ${url}, ${from}. Ctrl+C ends it.`);
      isFirst = false;
      let line: string | undefined;
      if (text !== undefined) {
        const event = JSON.parse(text) as ShownEvent;
        const startedMs = performance.now();
        const status = await forward({ eventId: event.id, body: text }, { url, key, signal, onAway });
        if (status === undefined) break;
        const again = isResent ? ', asked for again' : '';
        line = `${lineOf(event, status, performance.now() - startedMs)}${again}`;
      }
      place.keep(id);
      if (line !== undefined) say(line);
    }
  } catch (error) {
    if (!(error instanceof StreamRefused)) throw error;
    const isOfFile =
      values.after === undefined &&
      (error.status === 410 || (error.status === 400 && place.after !== undefined));
    const remedy = isOfFile ? ` Remove ${statePath} to begin with what happens next.` : '';
    throw new CommandError('REFUSED', `The service refuses its events: ${error.message}${remedy}`);
  }
  return 0;
}

/** @throws UsageError */
function receiverOf(given: string | undefined): string {
  if (given !== undefined && /^https?:$/.test(URL.parse(given)?.protocol ?? '')) {
    if (!hasLogin(given)) return given;
    throw new UsageError('--forward must be a URL without a user name and a password in it.');
  }
  throw new UsageError(
    'listen needs --forward URL, where your receiver listens, such as http://127.0.0.1:3000/webhooks.',
  );
}

type ShownEvent = {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly subject: { readonly id: string };
};

function lineOf({ id, type, subject, sequence }: ShownEvent, status: number, ms: number): string {
  const outcome =
    status >= 200 && status < 300
      ? ''
      : status === 410
        ? ', for which a service would disable this receiver'
        : status >= 300 && status < 400
          ? ', and redirects are not followed'
          : `, which a service would send again; POST /v1/events/${id}/resend sends it here`;
  return `${type} ${subject.id} ${sequence}: ${status} in ${Math.round(ms)} ms${outcome}`;
}
