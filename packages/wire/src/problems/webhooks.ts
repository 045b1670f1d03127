/** What the service says of problems with webhooks. */
export const WEBHOOK_PROBLEMS = {
  'webhook-endpoint-disabled': {
    status: 409,
    title: 'The webhook endpoint is disabled',
    cause:
      'Nothing is sent to an endpoint that is DISABLED: its receiver answered 410, or no attempt had succeeded for five days.',
    remedy: 'Mend the receiver, enable the endpoint (POST …/enable), and send the request again.',
    example: { detail: 'The endpoint is DISABLED: mend its receiver, and use POST …/enable first.' },
  },
  'too-many-webhook-endpoints': {
    status: 409,
    title: 'The organisation has as many webhook endpoints as it may',
    cause: 'An organisation may have 20 webhook endpoints in each environment.',
    remedy: 'Delete one that is not needed, or change it.',
    example: { detail: 'The organisation has 20 webhook endpoints; delete one, or change it.' },
  },
} as const;
