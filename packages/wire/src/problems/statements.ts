/** What the service says of problems with statements and their entries. */
export const STATEMENT_PROBLEMS = {
  'statement-invalid': {
    status: 400,
    title: 'The file is no statement that can be taken',
    cause:
      'It is not well-formed, not in UTF-8, compressed, has a document type or no booked entries. Or it does not add up from the opening to the closing balance, or is a report that Fairway made itself.',
    remedy: '"detail" names the place. Send the file as the bank gives it out, whole and unpacked.',
    example: {
      detail:
        'line 412: the opening balance and the booked entries come to 125000 minor units, but the closing balance is 120000. Send the whole statement.',
    },
  },
  'match-mismatch': {
    status: 409,
    title: 'The entry cannot be matched so',
    cause:
      'A movement is none that a statement shows, has another direction or currency than the entry, or has less left than was named. Or the entry is smaller than its movements. An entry that is matched is not ignored.',
    remedy: 'Read the entry and the movement. Correct the allocations, or unmatch first.',
    example: {
      detail:
        'allocations/0: 5000 minor units of the movement are left for this entry, and more was named. ent_01a217d8709e799d9054a55fc3d774ae has the rest: unmatch it first if that is wrong, or name less.',
    },
  },
} as const;
