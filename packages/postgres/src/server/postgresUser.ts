import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embeddedPostgresError.ts';

/** The operating system user that runs PostgreSQL when we are root; PostgreSQL refuses to run as root. */
export type PostgresUser = { name: string; uid: number; gid: number };

/**
 * The user that is to run PostgreSQL. `undefined` means ourselves, unless we are root; then it is the user `postgres`
 * if there is one, else `nobody`. No user is ever created. Throws EmbeddedPostgresError when there is neither.
 */
export function choosePostgresUser(): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  for (const wanted of ['postgres', 'nobody']) {
    const user = users.find(({ name, uid }) => name === wanted && uid > 0);
    if (user !== undefined) return user;
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root and /etc/passwd has neither a user "postgres" nor "nobody". ' +
      'Start Fairway as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.',
  );
}

/** Whether the user may pass through the folder and all its parents, judged by owner, group and mode. */
function canTraverse(folder: string, user: PostgresUser | undefined): boolean {
  if (user === undefined) return true;
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    const { uid, gid, mode } = statSync(path);
    const executeBit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & executeBit) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

/**
 * Folders for temporary files that we may write and the user may enter, the preferred one first. The system's folders
 * follow `TMPDIR`, because `TMPDIR` may lie below a folder that only root can enter.
 */
export function temporaryFolders(user: PostgresUser | undefined): string[] {
  const candidates = new Set([tmpdir(), '/tmp', '/var/tmp', '/dev/shm']);
  return [...candidates].filter((folder) => {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
      return canTraverse(folder, user);
    } catch {
      return false;
    }
  });
}
