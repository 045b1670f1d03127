/** Why a file cannot be read, by the code of the error. */
export const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file.',
  EISDIR: 'this is a folder; give the file.',
  EACCES: 'this user may not read it.',
};
