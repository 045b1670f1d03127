import { exampleAt } from '../problemExample.ts';

/** What a Client Node says of problems that the service does not have. */
export const NODE_PROBLEMS = {
  'execution-mode-not-supported': {
    status: 400,
    title: 'The operation cannot be executed',
    cause:
      'The query names executionMode=execute for an operation that has nothing to execute, or that this node does not execute.',
    remedy:
      'Leave executionMode out, or set it to plan. POST /v1/swap is executed; its instructions can also be executed by a wallet.',
    example: exampleAt(
      '/query/executionMode',
      'GET /v1/quote cannot be executed; leave executionMode out, or set it to plan.',
    ),
  },
  'idempotency-key-required': {
    status: 400,
    title: 'An execution needs a key',
    cause:
      'The header Idempotency-Key is missing or is not 1 to 128 printable ASCII characters. Without it a request that is sent again would be executed again.',
    remedy:
      'Send a key of your own that is new for each execution and the same for each repetition, such as the id of your order.',
    example: { detail: 'Send an Idempotency-Key of 1 to 128 printable ASCII characters.' },
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The key was used for another execution',
    cause: 'An execution with this Idempotency-Key exists, and its request had another body.',
    remedy: 'Take a new key for another execution. For the known one, send the same body.',
    example: {
      detail:
        'The key order-17 is of execution exe_0a1b2c, whose request was another one. Nothing was executed for this one.',
    },
  },
  'reconcile-first': {
    status: 409,
    title: 'An operator has to look first',
    cause:
      'The node cannot be sure that it knows all transactions of the relayer: its journal is missing, its database is an older one, or the key is used elsewhere. Or the execution is known from the journal alone, without its request.',
    remedy:
      'Have an operator reconcile the relayer (POST /relay/relayers/{relayerId}/reconcile), then send the same request again.',
    example: {
      detail:
        'Relayer 31337 is disabled (JOURNAL_MISSING). Nothing is executed until an operator has reconciled it.',
    },
  },
  'not-replaceable': {
    status: 409,
    title: 'There is nothing to replace',
    cause:
      'The transaction has ended, is mined, was not sent yet, waits for an earlier nonce, or a replacement would cost more than the cap of the chain allows. What was executed cannot be cancelled.',
    remedy:
      'detail says which. Speed the earlier transaction up, or set a higher cap (PUT /relay/gas/{chainId}) and ask again.',
    example: {
      detail: 'No room is left below the cap of the chain: PUT /relay/gas/31337 can set a higher one.',
    },
  },
  'limit-not-met': {
    status: 409,
    title: 'The market does not keep your limit',
    cause:
      'The service quotes the swap now, and after its slippage it is worse than the minAmountOut or maxAmountIn of the request. Nothing was signed, and the key is not used.',
    remedy:
      'Look at a new quote. Send a limit that is further from it than slippageBps, or a smaller slippageBps. The same key may be used.',
    example: {
      detail:
        'The swap may pay as little as 2984574122; your minimum is 2999574122. The quote is 2999571982. Nothing was signed.',
    },
  },
  'policy-refused': {
    status: 422,
    title: 'The policy of the node does not allow it',
    cause:
      'The operator of the node has said what may be signed, and a rule refuses this request, or needs to know something that is not known. Nothing was signed, and the key is not used.',
    remedy:
      'detail names the rules and what each of them has against it. Ask for what they allow, or have the operator change the policy.',
    example: {
      detail:
        'RECIPIENT_NOT_ALLOWED by the rule chains.1.recipients: 0x4444444444444444444444444444444444444444 may not be paid. Nothing was signed.',
    },
  },
  'signer-failed': {
    status: 502,
    title: 'The signer has not signed',
    cause:
      'What holds the key does not answer, refuses, cannot sign this kind of data, or its signature is not one of the relayer. No signature was answered.',
    remedy:
      'detail says what the signer has answered. Have the operator of the node see to the signer, then ask again.',
    example: {
      detail: 'The signer does not sign: it answers error -32601: it does not know eth_signTypedData.',
    },
  },
  'unsafe-answer': {
    status: 502,
    title: "The service's instructions do not do what was asked for",
    cause:
      'The node has taken the instructions apart before signing, and they do something else or more: another chain, router, spender, token, amount, recipient, limit or deadline. Nothing was signed.',
    remedy: 'Do not use the service until its operator has explained it.',
    example: {
      detail: 'ANSWER_LIMIT: Nothing more was signed: it may pay as little as 1; your minimum is 2999574122.',
    },
  },
} as const;
