/** What the service says of problems with reports. */
export const REPORT_PROBLEMS = {
  'format-not-supported': {
    status: 400,
    title: 'The report has no such format',
    cause:
      'camt.053 is the statement of what one custodian paid in one currency of ISO 4217. The request asks for something else, or a payout has no known amount in that currency.',
    remedy: 'Do what detail says, or ask for csv or json, which every report has.',
    example: {
      detail:
        'camt.053 is the statement of one account: name in filter.corridorId the corridor whose payouts it is to have.',
    },
  },
  'too-many-rows': {
    status: 400,
    title: 'The format does not hold so many rows',
    cause: 'The period has more rows than a file of this format may have.',
    remedy: 'Ask for csv or json, which hold any number of rows, or for a shorter period.',
    example: {
      detail:
        'xlsx holds at most 100,000 rows, and the period has more; ask for csv or json, or for a shorter period.',
    },
  },
  'report-not-ready': {
    status: 409,
    title: 'The report has no file',
    cause: 'The report is still being made, or it has FAILED.',
    remedy: 'Read the report until it is COMPLETE. Where it has FAILED, ask for another one.',
    example: { detail: 'The report is PENDING; read it until it is COMPLETE, and download it then.' },
  },
} as const;
