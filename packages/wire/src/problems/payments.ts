import { exampleAt } from '../problemExample.ts';

/** Problems of payment plans and of registered recipients, by code. */
export const PAYMENT_PROBLEMS = {
  'unknown-corridor': {
    status: 400,
    title: 'There is no such corridor',
    cause: 'The corridorId is not one that this deployment offers.',
    remedy: 'Use an id that GET /v1/markets/corridors lists. Ids are case-sensitive.',
    example: exampleAt(
      '/corridorId',
      'Corridor usd-aud is not offered here; GET /v1/markets/corridors lists those that are.',
    ),
  },
  'corridor-suspended': {
    status: 400,
    title: 'The corridor takes no new plans',
    cause: 'The operator has suspended the corridor. Plans that exist go on.',
    remedy: 'Use another corridor, or try again when GET /v1/markets/corridors lists it again.',
    example: {
      detail:
        'Corridor usdc-aud-bank is suspended and takes no new plans; use another that GET /v1/markets/corridors lists.',
    },
  },
  'recipient-invalid': {
    status: 400,
    title: 'The recipient cannot be paid as described',
    cause:
      'A member of recipient is missing, unknown or wrong for the kind of recipient and its country. Or no registered recipient that is ACTIVE has the recipientId. The list "errors" names every fault. Values are never repeated in errors: they are personal data.',
    remedy:
      'Compare the recipient with the JSON Schema at the corridor\'s constraints.requirementsUrl and correct each member that "errors" points to.',
    example: exampleAt('/recipient/account/bsb', 'BSB must be six digits, with or without a hyphen.'),
  },
  'recipient-not-approved': {
    status: 400,
    title: 'The details were not approved',
    cause:
      'The organisation pays registered recipients alone, once a second person has approved their details. The payment has details of its own, or names a recipient whose present details wait for approval or were rejected.',
    remedy:
      'Keep the recipient with POST /v1/recipients, have another credential approve it, and name its recipientId.',
    example: exampleAt(
      '/recipient/recipientId',
      'The details of the registered recipient wait for approval and take no new payments yet; have another credential look at them and send POST /v1/recipients/{recipientId}/approve.',
    ),
  },
  'payee-check-required': {
    status: 400,
    title: 'The payee was not checked',
    cause:
      'The corridor pays registered recipients alone whose payee was checked with a result that it accepts. The payment has details of its own, or names a recipient whose present details have no such check.',
    remedy:
      'Have the name of the payee checked, record it with PUT /v1/recipients/{recipientId}/verification, and name the recipientId. constraints.payeeCheck of the corridor says which results it accepts.',
    example: exampleAt(
      '/recipient/recipientId',
      'The present details of the registered recipient have no check of the payee, and corridor usdc-aud-bank needs one that came to MATCH; record it with PUT /v1/recipients/{recipientId}/verification.',
    ),
  },
  'mode-not-supported': {
    status: 400,
    title: 'The corridor does not offer this mode',
    cause: 'options.mode is not among the modes of the corridor.',
    remedy: "Use one of the corridor's constraints.modes, or another corridor.",
    example: {
      detail:
        'Corridor usdc-aud-bank offers STANDARD; DIGITAL_COLLECT is not among its modes. Use another mode or corridor.',
    },
  },
  'client-reference-reused': {
    status: 422,
    title: 'The clientReference was used for another request',
    cause:
      'A plan with this clientReference exists, and its request differed from this one. A reference stands for one payment for ever, so that a retry can never pay twice.',
    remedy:
      'To retry, send exactly the body of the first request (key order and metadata do not matter). For another payment use another clientReference.',
    example: {
      detail:
        'clientReference "INV-2026-0042" stands for another request already; send this one under a reference of its own.',
    },
  },
  'request-in-progress': {
    status: 409,
    title: 'The same request is still under way',
    cause: 'A request with this clientReference has arrived before and is not answered yet.',
    remedy: 'Send it again after as many seconds as the Retry-After header says: the plan is then given.',
    example: {
      detail:
        'A request with clientReference INV-2026-0042 is still under way. Send it again in 1 s; the plan is then given.',
    },
  },
  'recipient-not-erasable': {
    status: 409,
    title: 'The recipient cannot be erased now',
    cause:
      'Only a recipient that is DEACTIVATED is erased, once its plans have ended: COMPLETED, ENDED, or RETURNED with none of their money left. A deployment of production needs a file of erasures, without which a backup would bring the details back.',
    remedy:
      'Deactivate the recipient, and let the plans that "detail" names come to their end, or end them. Without a file of erasures tell the operator.',
    example: {
      detail:
        'The recipient has 1 plan that has not ended: plan_0199a6f200007abc8def0123456789ab. Let it come to its end, or end it.',
    },
  },
  'details-erased': {
    status: 409,
    title: 'The details are destroyed',
    cause: 'The recipient was erased, with the full details of its plans. The request needs them.',
    remedy:
      'Name another recipient of the plan where its payment failed or came back with recipient in POST /v1/payments/{planId}/again. Else make a new plan.',
    example: {
      detail:
        'The recipient of the plan was erased; name the one that is to be paid as recipient in POST /v1/payments/{planId}/again.',
    },
  },
  'cursor-expired': {
    status: 410,
    title: 'The place in the list of events is gone',
    cause:
      'Events are kept for 30 days, or for as long as the operator says. The events behind the named cursor or event are kept no longer. Or the cursor is of another service, or of a database that was put back, and names a place that no event has come to.',
    remedy:
      'Read what concerns you as it is now, such as GET /v1/payments, and ask for events again without after. Ask at least once in the time for which events are kept.',
    example: {
      detail:
        'Events that follow this place are no longer kept. Read the plans that concern you (GET /v1/payments), and ask again without after.',
    },
  },
  'step-not-ready': {
    status: 409,
    title: "It is not this step's turn",
    cause:
      'Steps never overtake. A step can be acted on when every step before it is DONE, and only in a state that the action is for.',
    remedy:
      'Read the plan: next says what is due. A step that FAILED is tried anew first, with POST …/again.',
    example: {
      detail:
        'The step that is due is AWAIT_DEPOSIT (step_019a…), which is PENDING. Look at the member next of the plan, which says what to do.',
    },
  },
  'execution-in-flight': {
    status: 409,
    title: 'A transaction may execute the plan',
    cause:
      'A transaction that executes the plan was submitted (report SUBMITTED) and may still be mined. Or a transaction that no node can trace has paid as much as the plan brings. New instructions beside it could be executed, too, and the money would be swapped twice.',
    remedy:
      'Report the transaction when it is mined, or the one with the same nonce that replaced it. Ask again after the deadline of the instructions. If you know that it never will be mined, or that it executed nothing of the plan, send force: true.',
    example: {
      detail:
        'The transaction 0x5c1e…09aa was submitted and may still be mined: a second execution would swap twice. Ask again when it is mined, replaced or expired, or send force: true if you know that it never will be.',
    },
  },
  'revision-mismatch': {
    status: 412,
    title: 'The plan or the recipient has changed',
    cause:
      'The header If-Match names another revision than the plan or the registered recipient has now. Somebody else, or the service itself, has changed it since you read it. Nothing was done.',
    remedy:
      'Read it again. If the request still fits, send it with the ETag of that answer, or without If-Match (where it is not required).',
    example: {
      detail:
        'The plan is at revision 8, and If-Match does not name that one; the request was not carried out. Read the plan, and send it with If-Match: "8" if it still fits.',
    },
  },
  'approval-required': {
    status: 409,
    title: 'The payment has to be approved first',
    cause:
      'The corridor asks for a second person for payments of this amount, and nobody has approved this one, or its recipient was changed since.',
    remedy:
      'Have somebody with another credential and the permission payments:approve look at the plan and approve it.',
    example: {
      detail:
        'Nobody has approved this payment, and no instructions are given out before that; have another credential look at it and approve it.',
    },
  },
  'approval-not-due': {
    status: 409,
    title: 'Nothing waits for this approval',
    cause:
      'The named version is not the present one of the recipient or payment. Or it does not wait for approval: it was approved, rejected or never needed it.',
    remedy: 'Read the recipient or the plan, look at it again, and name its present version if it waits.',
    example: {
      detail:
        'Version 2 of the recipient is the present one, and it is ACTIVE; only a version that waits for approval can be approved or rejected. Read the recipient.',
    },
  },
  'recipient-not-active': {
    status: 409,
    title: 'The recipient is not active',
    cause: 'A registered recipient that is DEACTIVATED never changes again, and no new plan can name it.',
    remedy: 'Make a new recipient of the details, and use its recipientId.',
    example: {
      detail: 'The recipient is DEACTIVATED and takes no changes; make a new recipient of the details.',
    },
  },
  'evidence-mismatch': {
    status: 409,
    title: 'The report contradicts the chain, or what is recorded',
    cause:
      'The reported transaction is not on the chain, failed where success was claimed, or does not execute the instructions of the step. Or it moved too little, or settles another step already. Or an earlier report says otherwise. Nothing has changed.',
    remedy:
      'Report the transaction that executed this step, once it is mined. A transaction that replaced another is reported by its own hash.',
    example: { detail: 'The transaction 0xab… does not execute the instructions of this step.' },
  },
  'deposit-address-in-use': {
    status: 409,
    title: 'This deposit address is not free',
    cause:
      "Deposits are told apart by their address, so that each open plan needs one of its own. A plan without one cannot name the address of another plan as sender either. An address that has signed the swap of an organisation stays that organisation's for a year after the plan's end.",
    remedy:
      'Use a fresh deposit address, or wait until the other plan is over. Where the address is yours and the plan is of another organisation, prove it: detail has the text that the address signs for options.addressSignature.',
    example: {
      detail:
        'options.depositAddress is the deposit address of another open plan: give one that no open plan has.',
    },
  },
} as const;
