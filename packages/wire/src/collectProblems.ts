/** What the service says of problems with collect requests. */
export const COLLECT_PROBLEMS = {
  'collect-request-over': {
    status: 409,
    title: 'The recipient was asked anew since',
    cause:
      'The request names a round of asking the recipient that is over. A delivery failed or came back, or the swap was taken back, and another round has begun.',
    remedy:
      'Read the present round, whose id is collectRequestId of the answer, and send the request to that if it still fits.',
    example: {
      detail:
        'Round 1 is over, and the recipient is asked anew: read clr_0199a6f200007abc8def0123456789ab00000002, and send the request to that if it still fits.',
    },
  },
} as const;
