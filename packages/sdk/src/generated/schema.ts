// Written by `npm run openapi` from the OpenAPI document. Do not edit.

export type Other = string & {};
export interface paths {
    "/v1/markets/chains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listChains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/markets/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/markets/routers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listRouters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/markets/corridors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listCorridors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/markets/corridors/{corridorId}/requirements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getRequirements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getQuote"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/swap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["planSwap"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPayments"];
        put?: never;
        post: operations["createPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{planId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{planId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPaymentEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{planId}/movements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{planId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["approvePayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{planId}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["endPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{planId}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["recordRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{planId}/again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["againPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{planId}/recipient/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["revealRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{planId}/steps/{stepId}/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["reportStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collect_requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listCollectRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collect_requests/{collectRequestId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCollectRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listRecipients"];
        put?: never;
        post: operations["createRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["validateRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/{recipientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getRecipient"];
        put?: never;
        post?: never;
        delete: operations["deactivateRecipient"];
        options?: never;
        head?: never;
        patch: operations["changeRecipient"];
        trace?: never;
    };
    "/v1/recipients/{recipientId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listRecipientVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/{recipientId}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["eraseRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/{recipientId}/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["revealRegisteredRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/{recipientId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["approveRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/{recipientId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rejectRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/{recipientId}/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["verifyRecipient"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWebhookEndpoints"];
        put?: never;
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{endpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        patch: operations["changeWebhookEndpoint"];
        trace?: never;
    };
    "/v1/webhook_endpoints/{endpointId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{endpointId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["enableWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{endpointId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{endpointId}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["recoverWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{endpointId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{endpointId}/deliveries/{deliveryId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{eventId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resendEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listReports"];
        put?: never;
        post: operations["createReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/{reportId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/{reportId}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["downloadReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/maps/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatementMap"];
        put: operations["keepStatementMap"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/maps/suggest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["suggestStatementMap"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/maps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listStatementMaps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listStatements"];
        put?: never;
        post: operations["importStatement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/statements/{statementId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/statements/{statementId}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listStatementEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/statements/{statementId}/differences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listStatementDifferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/entries/{entryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/entries/{entryId}/match": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["matchEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/entries/{entryId}/unmatch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["unmatchEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation/entries/{entryId}/ignore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["ignoreEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/mailbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getMailbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/payments/{planId}/steps/{stepId}/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["simulateStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSandbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["advanceClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/faucet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["useFaucet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Asks for what fits the state of the plan, once more. */
        AgainRequest: {
            recipient?: components["schemas"]["PaymentRecipient"];
            /**
             * @description For instructions alone: another one than theirs replaces those that were given out, and both can be executed. Absent: options.slippageBps of the plan, for fresh ones.
             * @default 50
             */
            slippageBps?: number;
            /** @description true: you know that no submitted transaction will be mined any more, and that no transaction which the nodes cannot trace executed the instructions. Without it such a transaction is a 409 execution-in-flight. */
            force?: boolean;
        };
        /** @description The service's time of the derived response, and the block everything in it was priced from. */
        AsOf: {
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /**
             * Format: uint64
             * @description Block number (uint64).
             */
            blockNumber?: number;
        };
        /** @description What an amount is counted in. */
        Asset: components["schemas"]["MoneyToken"] | {
            /** @description A code of ISO 4217. */
            currency: string;
        };
        /** @description Where the money of one asset is. received + swapped.out + returned = swapped.in + paidOut + refunded + deducted + outstanding + unallocated. Unallocated money counts as negative where its direction is OUT. */
        AssetFunds: {
            asset: components["schemas"]["Asset"];
            /** @description What the plan counts on: the deposit, or what is to be paid out. */
            expected: string;
            /** @description What arrived as a deposit. */
            received: string;
            /** @description What the swap spent and brought. */
            swapped: {
                /** @description What the swap spent. */
                in: string;
                /** @description What the swap brought. */
                out: string;
            };
            /** @description The part with the corridor's confirmations, of what was received or brought by the swap. */
            settled: string;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            paidOut: string;
            /** @description What came back after it was paid out. */
            returned: string;
            /** @description What was sent back to the payer. */
            refunded: string;
            /** @description What was kept, such as a fee. */
            deducted: string;
            /** @description What is there, to be swapped or to be paid out. */
            outstanding: string;
            unallocated: components["schemas"]["Unallocated"][];
        };
        /** @description One set of instructions that was given out, or one payout that was tried. */
        Attempt: {
            /** @description For instructions: the id that a report SUBMITTED names. */
            attemptId?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            at: string;
            /**
             * @description What became of it. LOST: a reorganisation took its transaction back. RETURNED: it was paid, and the money came back.
             * @enum {string}
             */
            outcome: "OPEN" | "SUPERSEDED" | "EXECUTED" | "FAILED" | "LOST" | "RETURNED" | Other;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            notAfter?: string;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            minAmountOut?: string;
            /** @description Hash of a transaction. */
            txHash?: string;
            providerReference?: string;
            /** @description Why a step failed. */
            failure?: {
                /** @description Why it failed, as a word. */
                code: string;
                /** @description The same as a sentence. */
                detail?: string;
            };
            /** @description For a payout: the id that it had. */
            endToEndId?: string;
            /** @description RETURNED: the movements of all its payments. */
            movementIds?: string[];
            beneficiary?: components["schemas"]["RecipientView"];
            /** @description Oldest first. */
            submissions?: {
                /** @description Hash of a transaction. */
                txHash: string;
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                sender?: string;
                nonce?: number;
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                at: string;
                /**
                 * @description Why it can execute nothing any more; absent while it may, and once it has. NOT_EXECUTED: it is final and executed nothing. REPLACED: another one with its nonce is final. EXPIRED: the chain is past the deadline. FORGOTTEN: nothing was seen of it for a day. FORCED: you said so.
                 * @enum {string}
                 */
                fate?: "NOT_EXECUTED" | "REPLACED" | "EXPIRED" | "FORGOTTEN" | "FORCED" | Other;
            }[];
        };
        /** @description Which members there are depends on the country: GET /v1/markets/corridors/{corridorId}/requirements has their JSON Schema. */
        BankAccountDetails: {
            /** @description All countries but those with iban or clabe. */
            accountNumber?: string;
            /** @description AU: six digits. */
            bsb?: string;
            /** @description US: the ABA routing number. */
            routingNumber?: string;
            /**
             * @description US.
             * @enum {string}
             */
            accountType?: "CHECKING" | "SAVINGS";
            /** @description GB: six digits. */
            sortCode?: string;
            /** @description IN: the code of the branch. */
            ifsc?: string;
            /** @description CA: three digits. */
            institutionNumber?: string;
            /** @description CA: five digits. */
            transitNumber?: string;
            /** @description MX: 18 digits. */
            clabe?: string;
            /** @description Countries with IBANs, but for GB. */
            iban?: string;
            /** @description Countries without a kind of account of their own; beside iban it may be left out. */
            bic?: string;
        };
        /** @description A chain that quotes and swaps can name. */
        Chain: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description Display name. */
            name: string;
        };
        ChainHealth: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            name: string;
            /**
             * @description OK: quotes are served. NODES_DISAGREE: quotes and swaps answer 503 nodes-disagree. CLOCK_DIFFERS: the clock of this process and that of the database differ. Anything else: they answer 503 market-stale.
             * @enum {string}
             */
            status: "OK" | "SYNCING" | "NO_CONTACT" | "NODES_DISAGREE" | "LAGGING" | "CLOCK_DIFFERS" | "BLOCK_TOO_OLD" | "BLOCK_IN_FUTURE" | Other;
            /**
             * @description SINGLE_NODE: what one node says of the chain is believed. AGREED: only what as many nodes as the operator demands say alike.
             * @enum {string}
             */
            trust: "SINGLE_NODE" | "AGREED" | Other;
            /** @description How many nodes of the chain said alike what this depends on, of how many that are configured. */
            nodes: {
                /** @description Nodes that said the same. */
                agreed: number;
                /** @description Nodes that are configured. */
                of: number;
            };
            /** @description The block the market stands at; absent before the first. */
            head?: {
                /**
                 * Format: uint64
                 * @description Block number (uint64).
                 */
                number: number;
                /** @description Hash of a block. */
                hash: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                timestamp: string;
            };
            /** @description Blocks the market is behind the node's latest. */
            lagBlocks: number;
            /** @description Pools in the market. */
            pools: number;
            /** @description Listed tokens that cannot be read, and pools of listed tokens that cannot be. Absent where all can be. The status does not depend on it. Tokens that can be read and are not traded: GET /v1/markets/tokens. */
            leftOut?: {
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                address: string;
                /** @description What its contract does that keeps it out. */
                reason: string;
            }[];
            /** @description How far the reading of the market is; absent when it is not being read, and until its pools are found. */
            reading?: {
                /** @description Pools that were found. */
                pools: number;
                /** @description Pools of these that are read. */
                poolsRead: number;
                /** @description About how many requests each node is still asked. */
                requestsLeft: number;
            };
            /** @description How far the chain was read for payment plans, by whichever process reads it. */
            record?: {
                /**
                 * @description CATCHING_UP: blocks are being read that were missed, or cannot be read for now. Until then plans of the chain get no instructions; quotes and swaps are not affected.
                 * @enum {string}
                 */
                state: "AT_HEAD" | "CATCHING_UP" | Other;
                /**
                 * Format: uint64
                 * @description Block number (uint64).
                 */
                readBlock?: number;
                /** @description Blocks that the record is behind the market of this process. It grows where no process can read on. */
                lagBlocks?: number;
                /** @description Transfers to settlement addresses whose transactions are still to be read, the largest first; 10,000 at most are counted. Deposits do not wait for them, only the instructions of plans whose swap one of them may be. */
                unread?: number;
            };
            /** @description What is wrong, when something is. */
            detail?: string;
        };
        ClockAnswer: {
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            now: string;
        };
        ClockRequest: {
            /** @description ISO 8601 duration of whole seconds, from one second to one year, such as PT20M or P1D. The clock never goes back. */
            advance: string;
        };
        /** @description SEND_DIGITAL_COLLECT: the link, what the recipient chose, and how it is delivered. */
        Collect: {
            link?: components["schemas"]["CollectLinkView"];
            /**
             * @description What the recipient chose.
             * @enum {string}
             */
            destinationType?: "bank" | "wallet" | "emoney" | Other;
            destination?: components["schemas"]["RecipientView"];
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            submittedAt?: string;
            delivery?: components["schemas"]["CollectDelivery"];
            /** @description Rounds that ended without the money arriving, oldest first. */
            rounds: {
                version: number;
                destination?: components["schemas"]["RecipientView"];
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                submittedAt?: string;
                delivery?: components["schemas"]["CollectDelivery"];
            }[];
        };
        /** @description How the destination that the recipient chose is paid. */
        CollectDelivery: {
            /** @description The id of this payment, where it is not the first one of the plan: each account that is paid has its own. */
            endToEndId?: string;
            /**
             * @description PENDING until the first report. The plan is COMPLETED when it is DELIVERED.
             * @enum {string}
             */
            status: "PENDING" | "SENT" | "DELIVERED" | "FAILED" | "RETURNED" | Other;
            /**
             * @description VERIFIED: read on the chain; a deposit also came to options.depositAddress, and a payout to a wallet from one of the corridor's payoutAddresses. REPORTED: the integrator says so, and a transaction that was named does not contradict it. UNVERIFIABLE: there is nothing to check it against.
             * @enum {string}
             */
            verification?: "VERIFIED" | "REPORTED" | "UNVERIFIABLE" | Other;
            providerReference?: string;
            /** @description What was paid out, in units of custodianAction.asset. */
            paidAmount?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            occurredAt?: string;
            /** @description Why a step failed. */
            failure?: {
                /** @description Why it failed, as a word. */
                code: string;
                /** @description The same as a sentence. */
                detail?: string;
            };
            /** @description That the custodian holds the payment back, which may still be made. Absent where it does not; the next report on the payment ends it. */
            hold?: {
                /**
                 * @description Why the custodian holds the payment back.
                 * @enum {string}
                 */
                reason: "COMPLIANCE_REVIEW" | "INFORMATION_REQUIRED" | "BANK_DELAY" | "OTHER" | Other;
                /** @description What the custodian needs to go on. Empty: it decides. */
                needs: string[];
                /**
                 * Format: date-time
                 * @description Until when the custodian waits, as it said. Nothing ends then by itself.
                 */
                until?: string;
                /**
                 * Format: date-time
                 * @description Since when, as the report says, or when it was reported.
                 */
                heldAt: string;
                /** @description The custodian's reference, where the report named it. */
                providerReference?: string;
            };
            evidence?: components["schemas"]["Evidence"];
        };
        /** @description The link that the recipient was e-mailed. */
        CollectLinkView: {
            /** @description Rises with every link; only the newest works. */
            version: number;
            /**
             * @description WAITING: the e-mail has not been accepted by the mail server yet.
             * @enum {string}
             */
            state: "WAITING" | "SENT" | "OPENED" | "SUBMITTED" | "EXPIRED" | "CANCELLED" | Other;
            /**
             * @description The e-mail. QUEUED: it is sent, or sent again after a fault of the mail server.
             * @enum {string}
             */
            mail: "QUEUED" | "ACCEPTED" | "BOUNCED" | Other;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            madeAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            openedAt?: string;
            /**
             * Format: date-time
             * @description When the recipient asked for a new link last, because one had ended. It is noted once a day.
             */
            requestedAt?: string;
            /** @description How often it was sent again; five times at most. */
            resends: number;
        };
        /** @description A round of asking the recipient of a plan where the money goes. */
        CollectRequest: {
            /** @description Unique identifier of a round of asking a recipient. */
            collectRequestId: string;
            planId: string;
            /** @description The plan's. */
            clientReference: string;
            /** @description A new one begins after a delivery that failed or came back, or after a swap was taken back. */
            round: number;
            /**
             * @description WAITING until the mail server has accepted the e-mail, then SENT, OPENED and SUBMITTED. EXPIRED or CANCELLED when nothing was chosen. DELIVERED, FAILED or RETURNED once the payment has come so far.
             * @enum {string}
             */
            status: "WAITING" | "SENT" | "OPENED" | "SUBMITTED" | "DELIVERED" | "FAILED" | "RETURNED" | "EXPIRED" | "CANCELLED" | Other;
            /** @description The newest link of the round. */
            linkVersion: number;
            /**
             * @description The e-mail with the newest link.
             * @enum {string}
             */
            mail?: "QUEUED" | "ACCEPTED" | "BOUNCED" | Other;
            /**
             * Format: date-time
             * @description When the newest link ends.
             */
            expiresAt?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            openedAt?: string;
            /**
             * Format: date-time
             * @description When the recipient asked for a new link last, because one had ended. It is noted once a day.
             */
            requestedAt?: string;
            /** @description Who is asked, masked. Absent in rounds that are over. */
            recipient?: components["schemas"]["RecipientView"];
            /** @description What the recipient chose, masked. */
            destination?: components["schemas"]["RecipientView"];
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            submittedAt?: string;
            /** @description How the destination is paid. The plan shows more of it. */
            delivery?: {
                /**
                 * @description PENDING until the first report.
                 * @enum {string}
                 */
                status: "PENDING" | "SENT" | "DELIVERED" | "FAILED" | "RETURNED" | Other;
                providerReference?: string;
                /** @description Hash of a transaction. */
                txHash?: string;
                /** @description Why a step failed. */
                failure?: {
                    /** @description Why it failed, as a word. */
                    code: string;
                    /** @description The same as a sentence. */
                    detail?: string;
                };
                /** @description That the custodian holds the payment back, which may still be made. Absent where it does not; the next report on the payment ends it. */
                hold?: {
                    /**
                     * @description Why the custodian holds the payment back.
                     * @enum {string}
                     */
                    reason: "COMPLIANCE_REVIEW" | "INFORMATION_REQUIRED" | "BANK_DELAY" | "OTHER" | Other;
                    /** @description What the custodian needs to go on. Empty: it decides. */
                    needs: string[];
                    /**
                     * Format: date-time
                     * @description Until when the custodian waits, as it said. Nothing ends then by itself.
                     */
                    until?: string;
                    /**
                     * Format: date-time
                     * @description Since when, as the report says, or when it was reported.
                     */
                    heldAt: string;
                    /** @description The custodian's reference, where the report named it. */
                    providerReference?: string;
                };
            };
            /**
             * Format: date-time
             * @description When the first link of the round was made. Events lack it.
             */
            createdAt: string;
        };
        /** @description An event of a round of asking a recipient. */
        CollectRequestEvent: {
            /** @description The same for every delivery of this event. */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            /**
             * @description Where it happened.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events. */
            sequence: number;
            /** @description The step, for events of steps. */
            stepId?: string;
            evidence?: components["schemas"]["EventEvidence"];
            /**
             * @description What happened.
             * @enum {string}
             */
            type: "collect_request.created" | "collect_request.updated" | "collect_request.sent" | "collect_request.bounced" | "collect_request.opened" | "collect_request.link_requested" | "collect_request.submitted" | "collect_request.delivered" | "collect_request.failed" | "collect_request.expired" | "collect_request.cancelled" | "collect_request.reissued";
            subject: {
                /** @constant */
                type: "collect_request";
                id: string;
            };
            data: {
                /** @description The round, masked. */
                object: {
                    /** @description Unique identifier of a round of asking a recipient. */
                    collectRequestId: string;
                    planId: string;
                    /** @description The plan's. */
                    clientReference?: string;
                    /** @description A new one begins after a delivery that failed or came back, or after a swap was taken back. */
                    round: number;
                    /**
                     * @description WAITING until the mail server has accepted the e-mail, then SENT, OPENED and SUBMITTED. EXPIRED or CANCELLED when nothing was chosen. DELIVERED, FAILED or RETURNED once the payment has come so far.
                     * @enum {string}
                     */
                    status: "WAITING" | "SENT" | "OPENED" | "SUBMITTED" | "DELIVERED" | "FAILED" | "RETURNED" | "EXPIRED" | "CANCELLED" | Other;
                    /** @description The newest link of the round. */
                    linkVersion?: number;
                    /**
                     * @description The e-mail with the newest link.
                     * @enum {string}
                     */
                    mail?: "QUEUED" | "ACCEPTED" | "BOUNCED" | Other;
                    /**
                     * Format: date-time
                     * @description When the newest link ends.
                     */
                    expiresAt?: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 date-time with a time zone (RFC 3339).
                     */
                    openedAt?: string;
                    /**
                     * Format: date-time
                     * @description When the recipient asked for a new link last, because one had ended. It is noted once a day.
                     */
                    requestedAt?: string;
                    /** @description Who is asked, masked. Absent in rounds that are over. */
                    recipient?: components["schemas"]["RecipientView"];
                    /** @description What the recipient chose, masked. */
                    destination?: components["schemas"]["RecipientView"];
                    /**
                     * Format: date-time
                     * @description ISO 8601 date-time with a time zone (RFC 3339).
                     */
                    submittedAt?: string;
                    /** @description How the destination is paid. The plan shows more of it. */
                    delivery?: {
                        /**
                         * @description PENDING until the first report.
                         * @enum {string}
                         */
                        status: "PENDING" | "SENT" | "DELIVERED" | "FAILED" | "RETURNED" | Other;
                        providerReference?: string;
                        /** @description Hash of a transaction. */
                        txHash?: string;
                        /** @description Why a step failed. */
                        failure?: {
                            /** @description Why it failed, as a word. */
                            code: string;
                            /** @description The same as a sentence. */
                            detail?: string;
                        };
                        /** @description That the custodian holds the payment back, which may still be made. Absent where it does not; the next report on the payment ends it. */
                        hold?: {
                            /**
                             * @description Why the custodian holds the payment back.
                             * @enum {string}
                             */
                            reason: "COMPLIANCE_REVIEW" | "INFORMATION_REQUIRED" | "BANK_DELAY" | "OTHER" | Other;
                            /** @description What the custodian needs to go on. Empty: it decides. */
                            needs: string[];
                            /**
                             * Format: date-time
                             * @description Until when the custodian waits, as it said. Nothing ends then by itself.
                             */
                            until?: string;
                            /**
                             * Format: date-time
                             * @description Since when, as the report says, or when it was reported.
                             */
                            heldAt: string;
                            /** @description The custodian's reference, where the report named it. */
                            providerReference?: string;
                        };
                    };
                };
                /** @description The members of the object that changed, as they were before. */
                previous?: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description A page of collect requests. */
        CollectRequestList: {
            /** @description Newest first. */
            data: components["schemas"]["CollectRequest"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description A payment corridor: from a token on a chain to where money is paid out. */
        Corridor: {
            /** @description The value used as corridorId in a payment request. */
            id: string;
            /** @description What is deposited. */
            source: {
                /**
                 * Format: uint64
                 * @description EIP-155 chain id, written in plain decimal digits (uint64).
                 */
                chainId: number;
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                address: string;
                symbol: string;
                /** @description Used to render human-readable amounts. */
                decimals: number;
            };
            /** @description What is paid out, and the token and address that the custodian is given. */
            target: {
                /**
                 * @description Where the money ends.
                 * @enum {string}
                 */
                type: "BANK" | "WALLET" | "EMONEY" | "EMAIL" | Other;
                /** @description ISO 3166-1 alpha-2; of BANK. */
                country?: string;
                /** @description What the recipient is paid in. */
                currency: string;
                /**
                 * @description How the target's token becomes its currency. PEGGED: a unit of the token is a unit of the currency, as the operator declares. CUSTODIAN: the custodian converts it at a rate of its own, so amounts are amounts of the token. A wallet is paid the token itself.
                 * @enum {string}
                 */
                conversion: "PEGGED" | "CUSTODIAN" | Other;
                rail?: string;
                /**
                 * Format: uint64
                 * @description EIP-155 chain id, written in plain decimal digits (uint64).
                 */
                chainId?: number;
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                address?: string;
                symbol?: string;
                /** @description Used to render human-readable amounts. */
                decimals?: number;
                /** @description Who pays out. */
                custodian: string;
                /** @description Where the swap's output goes: the custodian's account. */
                settlementAddress: string;
                /** @description The accounts that the custodian pays wallets from. A payout to a wallet is VERIFIED when it comes from one of them, else REPORTED. Absent: none are known. */
                payoutAddresses?: string[];
            };
            /** @description What the corridor takes. */
            constraints: {
                /**
                 * @description SUSPENDED: no new plans.
                 * @enum {string}
                 */
                status: "ACTIVE" | "SUSPENDED" | Other;
                modes: ("STANDARD" | "DIGITAL_COLLECT")[];
                recipientTypes: ("bank" | "wallet" | "emoney" | "email")[];
                /** @description For EMAIL: what the recipient who is e-mailed may choose. */
                destinations?: {
                    wallet: boolean;
                    bankCountries: string[];
                    emoney: boolean;
                };
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                minAmountIn: string;
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                maxAmountIn: string;
                /** @description What is below is dust: it begins no payment, but counts. Absent: a thousandth of the amount of each plan. */
                dustBelow?: string;
                /** @description Payments of more than this amountIn need the approval of another credential. */
                paymentApproval?: {
                    /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                    above: string;
                };
                /** @description Registered recipients alone are paid, whose present details have a check of the payee (PUT /v1/recipients/{recipientId}/verification) that came to one of accepted. */
                payeeCheck?: {
                    accepted: ("MATCH" | "PARTIAL" | "NOT_POSSIBLE")[];
                };
                /** @description Blocks, the transaction's own included, after which it counts as final. */
                minConfirmations: number;
                /** @description ISO 8601 durations from the swap to the payout. */
                settlementTime: {
                    min: string;
                    max: string;
                };
                /** @description Where the JSON Schema of recipients is. */
                requirementsUrl: string;
            };
        };
        /** @description A credential, without its password. */
        Credential: {
            /** @description The user name. */
            credentialId: string;
            /**
             * @description Where it is valid.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description What it may do. */
            permissions: string[];
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it ends. Absent: never.
             */
            expiresAt?: string;
            /**
             * Format: date-time
             * @description Since when it is revoked.
             */
            revokedAt?: string;
            /**
             * Format: date-time
             * @description Until when the password before the present one is taken, too.
             */
            previousValidUntil?: string;
        };
        /** @description An event of a credential. */
        CredentialEvent: {
            /** @description The same for every delivery of this event. */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            /**
             * @description Where it happened.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events. */
            sequence: number;
            /** @description The step, for events of steps. */
            stepId?: string;
            evidence?: components["schemas"]["EventEvidence"];
            /**
             * @description What happened.
             * @enum {string}
             */
            type: "credential.created" | "credential.rotated" | "credential.revoked";
            subject: {
                /** @constant */
                type: "credential";
                id: string;
            };
            data: {
                object: components["schemas"]["Credential"];
                /** @description The members of the object that changed, as they were before. */
                previous?: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description The off-chain coordination envelope of a payout. Whether and how much is to be paid now, next says. With expand=custody also the custodian, rail, currency, conversion, estimate, remittance text, deadline and evidence. */
        CustodianAction: {
            /**
             * @description The kind of payout.
             * @enum {string}
             */
            action: "PAYOUT_BANK" | "PAYOUT_EMONEY" | "TRANSFER_ONCHAIN" | Other;
            custodian?: string;
            rail?: string;
            asset: components["schemas"]["MoneyToken"];
            /** @description What the custodian holds for this payout. */
            amount: string;
            /** @description false: the amount is estimated until the swap is done. */
            isFinal?: boolean;
            /** @description What the beneficiary is paid in. TRANSFER_ONCHAIN pays the asset itself. */
            target?: {
                currency: string;
                /**
                 * @description How the target's token becomes its currency. PEGGED: a unit of the token is a unit of the currency, as the operator declares. CUSTODIAN: the custodian converts it at a rate of its own, so amounts are amounts of the token. A wallet is paid the token itself.
                 * @enum {string}
                 */
                conversion?: "PEGGED" | "CUSTODIAN" | Other;
                /** @description In minor units of the currency, where the token is pegged to it and the amount is final. */
                amount?: string;
                /** @description An estimate: what the payout may come to at the rate of the operator's source. The custodian converts at a rate of its own. Present only where the conversion is CUSTODIAN, a rate of the configured age is known, and the payout is neither sent nor made. */
                amountEstimate?: {
                    /** @description In minor units of the currency (ISO 4217), rounded down: 1412500 of PHP are 14,125.00. */
                    amount: string;
                    asset: {
                        /** @description ISO 4217. */
                        currency: string;
                    };
                    /** @description Units of the currency for a unit of the token, as the source writes it. */
                    rate: string;
                    /**
                     * Format: date-time
                     * @description When the rate was read.
                     */
                    asOf: string;
                    /** @description The origin of the operator's rate source. */
                    source: string;
                };
            };
            beneficiary: components["schemas"]["RecipientView"];
            /** @description Ours and unique, for each part of a payment, too; give it to the bank. */
            endToEndId: string;
            remittanceInfo?: string;
            /**
             * Format: date-time
             * @description When the payout is late; set once it is due.
             */
            notAfter?: string;
            /** @description Transactions to the wallet that were reported before they were mined, oldest first. */
            submissions?: {
                /** @description Hash of a transaction. */
                txHash: string;
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                sender?: string;
                nonce?: number;
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                at: string;
                /**
                 * @description Why it can execute nothing any more; absent while it may, and once it has. NOT_EXECUTED: it is final and executed nothing. REPLACED: another one with its nonce is final. EXPIRED: the chain is past the deadline. FORGOTTEN: nothing was seen of it for a day. FORCED: you said so.
                 * @enum {string}
                 */
                fate?: "NOT_EXECUTED" | "REPLACED" | "EXPIRED" | "FORGOTTEN" | "FORCED" | Other;
            }[];
            requiredEvidence?: ("providerReference" | "txHash")[];
        };
        /** @description What has arrived of the deposit. */
        Deposit: {
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            expected: string;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            received: string;
            /** @description What has the confirmations of it, in smallest units. */
            confirmed: string;
            /**
             * @description Against what was expected. OVER: the planned amount is swapped and the rest is left. LATE: it came after the plan had ended, which it does not change.
             * @enum {string}
             */
            outcome?: "PARTIAL" | "EXACT" | "OVER" | "LATE" | Other;
            /** @description Every transfer that counts. */
            transfers: {
                /**
                 * Format: uint64
                 * @description EIP-155 chain id, written in plain decimal digits (uint64).
                 */
                chainId: number;
                /** @description Hash of a transaction. */
                txHash: string;
                logIndex: number;
                /**
                 * Format: uint64
                 * @description Block number (uint64).
                 */
                blockNumber: number;
                /** @description Who sent it. Absent where it was not recorded. */
                from?: string;
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                amount: string;
            }[];
        };
        /** @description Nothing. The body may be left out. */
        EmptyRequest: Record<string, never>;
        /** @description Ends a plan for good. */
        EndRequest: {
            /**
             * @description Why the plan ends; required once money has moved. Absent: it is CANCELLED.
             * @enum {string}
             */
            reason?: "REFUNDED" | "SETTLED_ELSEWHERE" | "ABANDONED" | "OTHER";
            /** @description A sentence. Stored in clear: no personal data. */
            note?: string;
            /** @description true: also while a transaction or a payment is under way. A transaction that is mined later is unexplained. */
            force?: boolean;
        };
        /** @description Why an entry is ignored. */
        EntryIgnore: {
            /** @description Why it is no movement of a plan. Put no personal data here. */
            reason: string;
        };
        /** @description Which movements an entry is. */
        EntryMatch: {
            /** @description All that the entry is, each movement once. It replaces what was matched before. */
            allocations: {
                /** @description A payout or a return. */
                movementId: string;
                /** @description How much of the entry it is, in minor units of the entry's currency. */
                amount: string;
            }[];
        };
        /** @description Something that happened: type says what, and so what data.object is. */
        Event: components["schemas"]["PaymentPlanEvent"] | components["schemas"]["CollectRequestEvent"] | components["schemas"]["RecipientEvent"] | components["schemas"]["WebhookEndpointEvent"] | components["schemas"]["ReportEvent"] | components["schemas"]["StatementEvent"] | components["schemas"]["StatementEntryEvent"] | components["schemas"]["CredentialEvent"] | components["schemas"]["ServiceEvent"];
        /** @description The transfer that the change rests on: check it on a node of your own. */
        EventEvidence: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description Hash of a block. */
            blockHash: string;
            /** @description Hash of a transaction. */
            txHash: string;
            logIndex?: number;
            /**
             * @description VERIFIED: read on the chain; a deposit also came to options.depositAddress, and a payout to a wallet from one of the corridor's payoutAddresses. REPORTED: the integrator says so, and a transaction that was named does not contradict it. UNVERIFIABLE: there is nothing to check it against.
             * @enum {string}
             */
            verification: "VERIFIED" | "REPORTED" | "UNVERIFIABLE" | Other;
        };
        /** @description A page of events. */
        EventList: {
            /** @description Oldest first. */
            data: components["schemas"]["Event"][];
            /** @description Always there: ask again with it for what has happened since. */
            nextCursor: string;
        };
        EventResend: {
            /** @description Only to this endpoint, whatever its types. Default: to all that want it. */
            endpointId?: string;
        };
        /** @description A transaction that completes the step, as read on the chain. */
        Evidence: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description Hash of a transaction. */
            txHash: string;
            /**
             * Format: uint64
             * @description Block number (uint64).
             */
            blockNumber: number;
            /** @description Hash of a block. */
            blockHash: string;
            /** @description What arrived, in smallest units. */
            amount: string;
            /** @description The transfers that bring it. */
            transfers: {
                /** @description The index of its log in the block. */
                logIndex: number;
                /** @description Who sent it. Absent where it was not recorded. */
                from?: string;
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                amount: string;
            }[];
            /**
             * @description CONFIRMING: fewer confirmations than the corridor's minConfirmations. LOST: a reorganisation took it back after a later step was done.
             * @enum {string}
             */
            status: "CONFIRMING" | "FINAL" | "LOST" | Other;
            /** @description How many nodes of the chain said alike what this depends on, of how many that are configured. */
            trust?: {
                /** @description Nodes that said the same. */
                agreed: number;
                /** @description Nodes that are configured. */
                of: number;
            };
        };
        FaucetAnswer: {
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            address: string;
            asset: components["schemas"]["MoneyToken"];
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amount: string;
        };
        /** @description Either asset, or native: true. */
        FaucetRequest: {
            /** @description The account that gets it. */
            address: string;
            asset?: components["schemas"]["MoneyToken"];
            /** @description true for native currency, in place of asset. */
            native?: boolean;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amount: string;
        };
        /** @description Fee breakdown. Amounts are already contained in the quote. */
        Fees: {
            /** @description What each pool keeps of the trade, in the token it takes it in. */
            protocol: {
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                pool: string;
                asset: components["schemas"]["MoneyToken"];
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                amount: string;
            }[];
            /** @description Gas estimate of executing the swap. */
            gas: {
                /** @description Estimated gas units. */
                units: string;
                /** @description Base fee of the block, in wei per unit of gas. */
                baseFeePerGas: string;
                /** @description What transactions of the latest blocks paid beyond the base fee, in wei per unit of gas: their median. Absent where the nodes of the chain do not tell; then it counts as 0. */
                priorityFeePerGas?: string;
                /** @description units times the sum of both fees, in wei. */
                cost: string;
                /** @description What the chain charges beside cost. L1_DATA_FEE: the fee of a rollup for data on another chain. Absent where there is no such fee. */
                notIncluded?: "L1_DATA_FEE"[];
                /** @description The cost in the output token, at what the market pays for native currency; absent where it has no price. */
                costInTokenOut?: string;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description One thing that is wrong with the request. */
        FieldError: {
            /** @description JSON Pointer (RFC 6901) to the field: /amount in a body, /query/amount for a query parameter; empty for the whole body. */
            pointer: string;
            /** @description What was given, and what to send instead. */
            detail: string;
            /** @description Values that were probably meant, the likeliest first, such as an amount in the token's own decimals. Show them to a person; never send one without asking. */
            suggestions?: string[];
        };
        /** @description A recipient with its details, by type. GET /v1/markets/corridors/{corridorId}/requirements has the finer JSON Schema that the corridor checks it against. */
        GivenRecipient: components["schemas"]["BankRecipient"] | components["schemas"]["WalletRecipient"] | components["schemas"]["EmoneyRecipient"] | components["schemas"]["EmailRecipient"];
        /** @description How the service stands. Always 200: the body says what is wrong. */
        Health: {
            /**
             * @description OK when every chain is, and its record is at the head.
             * @enum {string}
             */
            status: "OK" | "DEGRADED" | Other;
            /** @description Version of the service. */
            version: string;
            /**
             * @description What this deployment serves.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            time: string;
            chains: components["schemas"]["ChainHealth"][];
        };
        /** @description A call for the caller's own wallet to sign and execute. The service never executes it. */
        Instruction: {
            /**
             * @description An EVM contract call.
             * @enum {string}
             */
            kind: "EVM_CALL";
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            to: string;
            /** @description Calldata as hex. */
            data: string;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            value: string;
            /** @description notAfter: latest time for execution. Swaps carry both members, approvals notAfter alone. */
            constraints: {
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                notAfter?: string;
                /** @description The slippage in basis points that the calldata allows at most. */
                maxSlippageBps?: number;
            };
        };
        /** @description E-mails that the sandbox caught instead of sending. */
        Mailbox: {
            /** @description Newest first. */
            data: {
                to: string;
                subject: string;
                text: string;
                html: string;
                /** @description Every address in it. */
                links: string[];
                /** @description The code that the recipient enters, where the e-mail has one. */
                code?: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                at: string;
            }[];
        };
        /** @description A token with at least one route, or one without because its transfers move other amounts than they are asked to (traded: false). The native currency is listed under its EIP-7528 address. */
        MarketToken: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            address: string;
            /** @description For display only: tokens are named by address. */
            symbol: string;
            /** @description Used to render human-readable amounts. */
            decimals: number;
            /** @description Whether quotes and swaps can name it. */
            traded: boolean;
            /** @description Why it is not traded, where it is not. */
            reason?: string;
        };
        /** @description A contract that instructions can call. */
        Router: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            address: string;
            /**
             * @description WRAPPED_NATIVE: the token that wraps native currency, which exchanges both itself.
             * @enum {string}
             */
            kind: "SWAP_ROUTER_02" | "WRAPPED_NATIVE" | Other;
            /** @description The Keccak-256 of the contract's code, as the chain has it now. */
            codeHash: string;
            /** @description The functions that instructions call. Approvals call approve of the input token. */
            selectors: string[];
            /** @description The contracts that approvals for it name. */
            spenders: string[];
        };
        /** @description A token, in its smallest units. */
        MoneyToken: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description Native currency has the address of EIP-7528. */
            address: string;
            /** @description Absent while the chain is away. Requests may leave it out; another one than the token has is refused. */
            symbol?: string;
            decimals?: number;
        };
        /**
         * @description The most pools one path may pass through.
         * @default 3
         */
        MaxHops: number;
        /**
         * @description The most paths the trade may be split over.
         * @default 16
         */
        MaxSplits: number;
        /** @description An amount of an asset. */
        Money: {
            /** @description In the asset's smallest units. */
            amount: string;
            asset: components["schemas"]["Asset"];
        };
        /** @description One movement of money. Movements are only ever added. */
        Movement: {
            /** @description Unique, and the same for ever. */
            movementId: string;
            /**
             * @description SWAP_IN: what the swap spent. SWAP_OUT: what it brought.
             * @enum {string}
             */
            kind: "DEPOSIT" | "SWAP_IN" | "SWAP_OUT" | "PAYOUT" | "RETURN" | "REFUND" | "DEDUCTION" | Other;
            /**
             * @description Whether the money of the plan became more or less. The opposite where it takes another one back.
             * @enum {string}
             */
            direction: "IN" | "OUT" | Other;
            stepId?: string;
            /** @description Which of the step's attempts, from 0. */
            attempt?: number;
            asset: components["schemas"]["Asset"];
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            expected?: string;
            /** @description In the asset's smallest units. */
            actual: string;
            /** @description What the beneficiary was paid, in the currency of the payment. For a RETURN, it is what came back, where that was reported. */
            paid?: components["schemas"]["Money"];
            fee?: components["schemas"]["Money"];
            rate?: string;
            /** @description Where it is on the chain. A member that was not recorded is absent. */
            transfer?: {
                /**
                 * Format: uint64
                 * @description EIP-155 chain id, written in plain decimal digits (uint64).
                 */
                chainId: number;
                /** @description Hash of a transaction. */
                txHash: string;
                /** @description The index of its log in the block. Absent for SWAP_IN. Only a further call of one transaction has one: the log of what that call brought. */
                logIndex?: number;
                /**
                 * Format: uint64
                 * @description Block number (uint64).
                 */
                blockNumber: number;
                /** @description Hash of a block. */
                blockHash: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                blockTime?: string;
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                from?: string;
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                to?: string;
            };
            providerReference?: string;
            endToEndId?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            occurredAt?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            recordedAt: string;
            /**
             * @description VERIFIED: read on the chain; a deposit also came to options.depositAddress, and a payout to a wallet from one of the corridor's payoutAddresses. REPORTED: the integrator says so, and a transaction that was named does not contradict it. UNVERIFIABLE: there is nothing to check it against.
             * @enum {string}
             */
            verification: "VERIFIED" | "REPORTED" | "UNVERIFIABLE" | Other;
            /**
             * @description IN: a deposit above the amount, after the swap, after the end, in another token or in native currency. Also a swap that was executed twice, and money that was there when somebody ended the plan. OUT: a swap without a recorded deposit, a payout without a recorded swap, or of more than was due.
             * @enum {string}
             */
            reason?: "ABOVE_AMOUNT" | "AFTER_SWAP" | "AFTER_END" | "LEFT_AT_CLOSE" | "OTHER_TOKEN" | "SECOND_EXECUTION" | "SWAP_WITHOUT_DEPOSIT" | "PAID_WITHOUT_SWAP" | "PAID_ABOVE_DUE" | Other;
            /** @description What was said about it. */
            note?: string;
            /** @description The movement that this one takes back, because it was not so or is no longer so. */
            reverses?: string;
        };
        /** @description A page of a plan's movements. */
        MovementList: {
            /** @description Oldest first. */
            data: components["schemas"]["Movement"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description What is to happen next, and who is to do it. Absent when nothing is. send, calls and pay are there only while they are to be done: whoever does each thing once, and nothing more before next has changed, never pays twice. */
        Next: {
            /**
             * @description SEND, EXECUTE and PAY: what send, calls and pay say. DECIDE: one of the calls in options answers it. ASK: the recipient chooses. WAIT: look again later; a call in options is for what will not end by itself, as detail says.
             * @enum {string}
             */
            do: "SEND" | "EXECUTE" | "PAY" | "DECIDE" | "APPROVE" | "ASK" | "WAIT" | Other;
            /**
             * @description Who is to do it.
             * @enum {string}
             */
            by: "INTEGRATOR" | "PAYER" | "CUSTODIAN" | "RECIPIENT" | "APPROVER" | "SERVICE" | "CHAIN" | Other;
            /**
             * @description Why. More words may come. NOT_APPROVED: another credential has to approve the payment. DEPOSIT_MISSING: nothing of the deposit has come. DEPOSIT_PARTIAL: a part of the deposit has come. DEPOSIT_CONFIRMING: the deposit is there and has too few confirmations. DEPOSIT_LOST: a reorganisation took the deposit back, and it may be mined again: send nothing before deadline. ADDRESS_LOST: another organisation has proven that the deposit address is its own. OLDER_MONEY: a backup was put back, and the deposit address held money before this plan: compare before anybody sends. INSTRUCTIONS_DUE: the swap is due and has no instructions yet. PRICE_BELOW_FLOOR: the market gives less than options.minAmountOut. SWAP_DUE: the swap has instructions. INSTRUCTIONS_EXPIRED: nobody executed the instructions in time. TRANSACTION_PENDING: a submitted transaction may still be mined. TRANSACTION_CONFIRMING: a transaction has too few confirmations. TRANSACTION_LOST: the chain no longer has a transaction of the plan. PAYOUT_DUE: the custodian is to pay the recipient. PAYOUT_HELD: the custodian holds the payment back. PAYMENT_SENT: the custodian has sent the money, and it has not arrived. PAYMENT_UNCLEAR: what was paid does not account for all that is due. SEND_LINK: the recipient is to be e-mailed a link, and no mail server has taken the e-mail yet. RECIPIENT_CHOOSES: the recipient has a link and is to choose. LINK_FAILED: the e-mail with the link came back, or the recipient asks for another. LINK_ENDED: the link ended before the recipient chose. LINKS_USED_UP: the recipient cannot be asked once more. STEP_FAILED: a step failed. ACCOUNT_REFUSED: the account cannot be paid. MONEY_RETURNED: a payment came back. REFUND_LOST: a reorganisation took a refund back, and it may be mined again: move none of the money before deadline. DEPOSIT_UNCLEAR: money came to the deposit address that may be the very money which the plan has or had at the custodian. MONEY_UNEXPLAINED: money is where the plan has no use for it. NOTHING_LEFT: nothing is left to do but to end the plan. CATCHING_UP: the service has missed blocks of the chain: move no money.
             * @enum {string}
             */
            why: "NOT_APPROVED" | "DEPOSIT_MISSING" | "DEPOSIT_PARTIAL" | "DEPOSIT_CONFIRMING" | "DEPOSIT_LOST" | "ADDRESS_LOST" | "OLDER_MONEY" | "INSTRUCTIONS_DUE" | "PRICE_BELOW_FLOOR" | "SWAP_DUE" | "INSTRUCTIONS_EXPIRED" | "TRANSACTION_PENDING" | "TRANSACTION_CONFIRMING" | "TRANSACTION_LOST" | "PAYOUT_DUE" | "PAYOUT_HELD" | "PAYMENT_SENT" | "PAYMENT_UNCLEAR" | "SEND_LINK" | "RECIPIENT_CHOOSES" | "LINK_FAILED" | "LINK_ENDED" | "LINKS_USED_UP" | "STEP_FAILED" | "ACCOUNT_REFUSED" | "MONEY_RETURNED" | "REFUND_LOST" | "DEPOSIT_UNCLEAR" | "MONEY_UNEXPLAINED" | "NOTHING_LEFT" | "CATCHING_UP" | Other;
            /** @description The same as a sentence. */
            detail: string;
            /** @description The step that it is about. */
            stepId: string;
            /**
             * Format: date-time
             * @description Until when; what happens then, detail says.
             */
            deadline?: string;
            /** @description What the payer is to send. */
            send?: {
                asset: components["schemas"]["MoneyToken"];
                /** @description What is missing of the deposit. */
                amount: string;
                /** @description Absent where the plan names no account: the account that will execute the swap. */
                to?: string;
            };
            /** @description With calls: what a report SUBMITTED names. */
            attemptId?: string;
            /** @description To execute in order: the instructions of the step. */
            calls?: components["schemas"]["Instruction"][];
            /** @description What the custodian is to pay. Beside DECIDE: the rest, where a wallet was paid a part. */
            pay?: {
                asset: components["schemas"]["MoneyToken"];
                /** @description What the custodian is to pay now, of the asset that it holds. */
                amount: string;
                /** @description What the beneficiary gets. A wallet gets the asset itself. */
                target: {
                    /** @description What the beneficiary is paid in: for a wallet the symbol of the asset. */
                    currency: string;
                    /** @description In minor units of the currency, where the token is pegged to it. */
                    amount?: string;
                };
                /** @description Ours and unique; give it to the bank. */
                endToEndId: string;
                beneficiary: components["schemas"]["RecipientView"];
                /** @description The wallet to pay, on the chain of the asset. */
                to?: string;
            };
            /** @description With DECIDE, and with WAIT where it may not end by itself. */
            options?: ("reports" | "again" | "refunds" | "end")[];
        };
        /** @description A check of the name of the payee, made elsewhere, of this version. */
        PayeeCheck: {
            provider: string;
            /**
             * @description What it came to.
             * @enum {string}
             */
            result: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_POSSIBLE" | Other;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            checkedAt: string;
            reference: string;
            /** @description The credential that recorded it. Absent where that was not kept yet. */
            by?: string;
        };
        /** @description A check of the name of the payee that was made elsewhere. It is of the present version. */
        PayeeCheckRequest: {
            /** @description Who has checked. */
            provider: string;
            /**
             * @description What it came to: NOT_POSSIBLE where the bank does not answer such checks.
             * @enum {string}
             */
            result: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_POSSIBLE";
            /**
             * Format: date-time
             * @description When it was checked. Not in the future.
             */
            checkedAt: string;
            /** @description The provider's reference of the check. Stored in clear: no personal data. */
            reference: string;
        };
        /** @description The payment that is approved. */
        PaymentApprovalRequest: {
            /** @description approval.version of the plan that was looked at: a recipient that was named meanwhile is not approved. */
            version: number;
        };
        /** @description Something that happened to a plan. */
        PaymentEvent: {
            /** @description The plan's revision after it. */
            revision: number;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            at: string;
            type: string;
            /** @description The credential, or the part of the service, that it came from; operator for a command. */
            actor: string;
            stepId?: string;
            /** @description What the event says beside that. */
            data: {
                [key: string]: unknown;
            };
        };
        /** @description A page of a plan's history. */
        PaymentEventList: {
            /** @description Oldest first. */
            data: components["schemas"]["PaymentEvent"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description A page of plans. */
        PaymentList: {
            /** @description Newest first. */
            data: components["schemas"]["PaymentPlan"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description A plan from an on-chain deposit to the recipient. The service executes nothing of it. */
        PaymentPlan: {
            /** @description Unique plan identifier. */
            planId: string;
            clientReference: string;
            corridorId: string;
            /**
             * @description STANDARD: to the recipient that the request names. DIGITAL_COLLECT: the recipient is e-mailed a link and chooses.
             * @enum {string}
             */
            mode: "STANDARD" | "DIGITAL_COLLECT" | Other;
            /**
             * @description IN_PROGRESS: it goes on by itself. ACTION_REQUIRED: somebody has to act, as next says. RETURNED: the payment came back. ENDED: as ended says.
             * @enum {string}
             */
            status: "IN_PROGRESS" | "ACTION_REQUIRED" | "COMPLETED" | "RETURNED" | "ENDED" | Other;
            next?: components["schemas"]["Next"];
            /** @description Where its money is: the deposit token first, then the payout token, then other tokens. */
            money: components["schemas"]["PlanMoney"][];
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountIn: string;
            /** @description The newest quote that instructions were made from. fees and route come with expand=executions. */
            quote?: components["schemas"]["Quote"];
            recipient: components["schemas"]["RecipientView"];
            /** @description The registered recipient that the recipient was taken from. */
            recipientId?: string;
            /** @description The version that it was taken from. */
            recipientVersion?: number;
            /** @description Rises with every change. */
            revision: number;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the plan ends if no money has moved by then.
             */
            expiresAt: string;
            /** @description The id of the newest payment to the recipient. */
            endToEndId: string;
            /** @description The newest collect request: GET /v1/collect_requests/{collectRequestId}. */
            collectRequestId?: string;
            /** @description How the plan ended. */
            ended?: {
                /**
                 * @description EXPIRED: no money came in time. CANCELLED: it was ended before money moved. Else as POST …/end said.
                 * @enum {string}
                 */
                reason: "EXPIRED" | "CANCELLED" | "REFUNDED" | "SETTLED_ELSEWHERE" | "ABANDONED" | "OTHER" | Other;
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                at: string;
                note?: string;
            };
            /** @description The approval of a payment by a second person; absent where none is needed. */
            approval?: {
                /**
                 * @description PENDING: no instructions are given out, and nothing is to be paid.
                 * @enum {string}
                 */
                status: "PENDING" | "APPROVED" | Other;
                /** @description What is approved. It rises when another recipient is named, and the approval is PENDING again. */
                version: number;
                /** @description The credential that made the plan, or that named its present recipient. It cannot approve. */
                madeBy: string;
                /** @description The credential that has approved. */
                approvedBy?: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                approvedAt?: string;
            };
            /**
             * @description Only in the answer of …/again: what it did. INSTRUCTIONS: those to execute now. TRY: another try of a step. RECIPIENT: another account. LINK: another link.
             * @enum {string}
             */
            did?: "INSTRUCTIONS" | "TRY" | "RECIPIENT" | "LINK" | Other;
            /** @description Up to 20 string pairs of the caller's own, kept as sent. Stored in clear: no personal data. */
            metadata: {
                [key: string]: string;
            };
            /** @description With expand=custody: what makes up money, by asset. */
            funds?: components["schemas"]["AssetFunds"][];
            options?: components["schemas"]["PlanOptions"];
            /** @description With expand=executions. */
            returns?: components["schemas"]["PaymentReturn"][];
            /** @description In order. */
            steps: components["schemas"]["PaymentStep"][];
        };
        /** @description An event of a plan: as the change left it, without instructions. A long one lacks members. */
        PaymentPlanEvent: {
            /** @description The same for every delivery of this event. */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            /**
             * @description Where it happened.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events. */
            sequence: number;
            /** @description The step, for events of steps. */
            stepId?: string;
            evidence?: components["schemas"]["EventEvidence"];
            /**
             * @description What happened.
             * @enum {string}
             */
            type: "payment_plan.created" | "payment_plan.updated" | "payment_plan.completed" | "payment_plan.failed" | "payment_plan.expired" | "payment_plan.cancelled" | "payment_plan.returned" | "payment_plan.closed" | "payment_plan.unallocated" | "payment_plan.step.ready" | "payment_plan.step.done" | "payment_plan.step.failed" | "payment_plan.step.held";
            subject: {
                /** @constant */
                type: "payment_plan";
                id: string;
            };
            data: {
                /** @description The plan, masked, without instructions and with the last three attempts of each step. An event longer than 20 kB lacks the quote, then older members of lists, then all but the head. */
                object: {
                    /** @description Unique plan identifier. */
                    planId: string;
                    clientReference: string;
                    corridorId?: string;
                    /**
                     * @description STANDARD: to the recipient that the request names. DIGITAL_COLLECT: the recipient is e-mailed a link and chooses.
                     * @enum {string}
                     */
                    mode?: "STANDARD" | "DIGITAL_COLLECT" | Other;
                    /**
                     * @description IN_PROGRESS: it goes on by itself. ACTION_REQUIRED: somebody has to act, as next says. RETURNED: the payment came back. ENDED: as ended says.
                     * @enum {string}
                     */
                    status: "IN_PROGRESS" | "ACTION_REQUIRED" | "COMPLETED" | "RETURNED" | "ENDED" | Other;
                    next?: components["schemas"]["Next"];
                    /** @description Where its money is: the deposit token first, then the payout token, then other tokens. */
                    money?: components["schemas"]["PlanMoney"][];
                    /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                    amountIn?: string;
                    /** @description The newest quote that instructions were made from. fees and route come with expand=executions. */
                    quote?: components["schemas"]["Quote"];
                    recipient?: components["schemas"]["RecipientView"];
                    /** @description The registered recipient that the recipient was taken from. */
                    recipientId?: string;
                    /** @description The version that it was taken from. */
                    recipientVersion?: number;
                    /** @description Rises with every change. */
                    revision?: number;
                    /**
                     * Format: date-time
                     * @description ISO 8601 date-time with a time zone (RFC 3339).
                     */
                    createdAt?: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 date-time with a time zone (RFC 3339).
                     */
                    updatedAt?: string;
                    /**
                     * Format: date-time
                     * @description When the plan ends if no money has moved by then.
                     */
                    expiresAt?: string;
                    /** @description The id of the newest payment to the recipient. */
                    endToEndId?: string;
                    /** @description The newest collect request: GET /v1/collect_requests/{collectRequestId}. */
                    collectRequestId?: string;
                    /** @description How the plan ended. */
                    ended?: {
                        /**
                         * @description EXPIRED: no money came in time. CANCELLED: it was ended before money moved. Else as POST …/end said.
                         * @enum {string}
                         */
                        reason: "EXPIRED" | "CANCELLED" | "REFUNDED" | "SETTLED_ELSEWHERE" | "ABANDONED" | "OTHER" | Other;
                        /**
                         * Format: date-time
                         * @description ISO 8601 date-time with a time zone (RFC 3339).
                         */
                        at: string;
                        note?: string;
                    };
                    /** @description The approval of a payment by a second person; absent where none is needed. */
                    approval?: {
                        /**
                         * @description PENDING: no instructions are given out, and nothing is to be paid.
                         * @enum {string}
                         */
                        status: "PENDING" | "APPROVED" | Other;
                        /** @description What is approved. It rises when another recipient is named, and the approval is PENDING again. */
                        version: number;
                        /** @description The credential that made the plan, or that named its present recipient. It cannot approve. */
                        madeBy: string;
                        /** @description The credential that has approved. */
                        approvedBy?: string;
                        /**
                         * Format: date-time
                         * @description ISO 8601 date-time with a time zone (RFC 3339).
                         */
                        approvedAt?: string;
                    };
                    /**
                     * @description Only in the answer of …/again: what it did. INSTRUCTIONS: those to execute now. TRY: another try of a step. RECIPIENT: another account. LINK: another link.
                     * @enum {string}
                     */
                    did?: "INSTRUCTIONS" | "TRY" | "RECIPIENT" | "LINK" | Other;
                    /** @description Up to 20 string pairs of the caller's own, kept as sent. Stored in clear: no personal data. */
                    metadata?: {
                        [key: string]: string;
                    };
                    /** @description With expand=custody: what makes up money, by asset. */
                    funds?: components["schemas"]["AssetFunds"][];
                    options?: components["schemas"]["PlanOptions"];
                    /** @description With expand=executions. */
                    returns?: components["schemas"]["PaymentReturn"][];
                    /** @description In order. */
                    steps?: components["schemas"]["PaymentStep"][];
                };
                /** @description The members of the object that changed, as they were before. */
                previous?: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description Who is paid, by type: with details, or one that is registered. GET /v1/markets/corridors/{corridorId}/requirements has the finer JSON Schema that the corridor checks it against. */
        PaymentRecipient: components["schemas"]["BankRecipient"] | components["schemas"]["WalletRecipient"] | components["schemas"]["EmoneyRecipient"] | components["schemas"]["EmailRecipient"] | components["schemas"]["RegisteredRecipientReference"];
        /** @description Asks for a payment plan. Nothing is executed. */
        PaymentRequest: {
            /** @description The caller's stable reference and idempotency key: unique for ever in the organisation, compared character by character. The same body again gives the same plan. */
            clientReference: string;
            /** @description The id of a corridor. */
            corridorId: string;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountIn: string;
            recipient: components["schemas"]["PaymentRecipient"];
            options: {
                /**
                 * @description STANDARD: to the recipient that the request names. DIGITAL_COLLECT: the recipient is e-mailed a link and chooses.
                 * @enum {string}
                 */
                mode: "STANDARD" | "DIGITAL_COLLECT";
                /** @description The wallet that will execute the swap. */
                sender?: string;
                /** @description Where the deposit arrives: the service watches it. No other open plan may have it. */
                depositAddress?: string;
                /** @description Proves that depositAddress, or else sender, is yours: its signature (EIP-191, or EIP-1271 of a contract) of the text that 409 deposit-address-in-use gives. An open plan of another organisation that only names the address no longer has it. */
                addressSignature?: string;
                slippageBps?: components["schemas"]["SlippageBps"];
                /** @description A price floor: while the fresh quote is below it there are no instructions. */
                minAmountOut?: string;
                /** @description With DIGITAL_COLLECT only. */
                collect?: {
                    /** @description ISO 8601 duration from one hour to 90 days. Absent: 14 days. */
                    expiresIn?: string;
                    /** @description Language of the e-mail. */
                    locale?: string;
                    /** @description Shown to the recipient. */
                    message?: string;
                    /** @description What the recipient may choose. Absent: all that the corridor allows. */
                    allowedDestinations?: ("wallet" | "bank" | "emoney")[];
                };
            };
            /** @description Up to 20 string pairs of the caller's own, kept as sent. Stored in clear: no personal data. */
            metadata?: {
                [key: string]: string;
            };
        };
        /** @description Money that came back after it was paid out. */
        PaymentReturn: {
            stepId: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            recordedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            occurredAt?: string;
            providerReference?: string;
            /** @description In units of custodianAction.asset: as it was reported, else all that was left of the payment. */
            amount?: string;
            /** @description What came back in the currency, as it was reported. */
            returned?: components["schemas"]["Money"];
            /** @description Why a step failed. */
            failure?: {
                /** @description Why it failed, as a word. */
                code: string;
                /** @description The same as a sentence. */
                detail?: string;
            };
        };
        /** @description A step of a payment plan. With expand=executions also how it was executed and paid, with expand=rounds how the recipient was asked. */
        PaymentStep: {
            /** @description Stable identifier for reconciliation. */
            stepId: string;
            /**
             * @description The kind of step.
             * @enum {string}
             */
            type: "AWAIT_DEPOSIT" | "EXECUTE_SWAP" | "CUSTODIAN_PAYOUT" | "SEND_DIGITAL_COLLECT" | Other;
            /**
             * @description Where it stands; PENDING at first.
             * @enum {string}
             */
            status: "PENDING" | "READY" | "DONE" | "FAILED" | Other;
            /**
             * @description VERIFIED: read on the chain; a deposit also came to options.depositAddress, and a payout to a wallet from one of the corridor's payoutAddresses. REPORTED: the integrator says so, and a transaction that was named does not contradict it. UNVERIFIABLE: there is nothing to check it against.
             * @enum {string}
             */
            verification?: "VERIFIED" | "REPORTED" | "UNVERIFIABLE" | Other;
            /** @description Why a step failed. */
            failure?: {
                /** @description Why it failed, as a word. */
                code: string;
                /** @description The same as a sentence. */
                detail?: string;
            };
            /** @description EXECUTE_SWAP: calls to execute in order, the last one is the swap. Empty while the price is below options.minAmountOut, and once the deposit went back. next has them while they are to be executed. */
            instructions?: components["schemas"]["Instruction"][];
            /** @description With expand=executions, EXECUTE_SWAP: the attempt whose instructions are shown. next has it while they are to be executed. */
            attemptId?: string;
            custodianAction?: components["schemas"]["CustodianAction"];
            deposit?: components["schemas"]["Deposit"];
            evidence?: components["schemas"]["Evidence"];
            /** @description Oldest first. */
            attempts?: components["schemas"]["Attempt"][];
            /** @description The custodian's reference of the payout. */
            providerReference?: string;
            /** @description What was paid out, in units of custodianAction.asset. */
            paidAmount?: string;
            /** @description What the beneficiary was paid last, as it was reported. */
            paid?: components["schemas"]["Money"];
            fee?: components["schemas"]["Money"];
            /** @description Units of the currency for a unit of the token. */
            rate?: string;
            /** @description What was kept back from the payments, in the token. */
            deductions?: {
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                amount: string;
                asset: components["schemas"]["Asset"];
                /** @description Why, in words. Stored in clear: no personal data. */
                reason: string;
            }[];
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            occurredAt?: string;
            /** @description That the custodian holds the payment back, which may still be made. Absent where it does not; the next report on the payment ends it. */
            hold?: {
                /**
                 * @description Why the custodian holds the payment back.
                 * @enum {string}
                 */
                reason: "COMPLIANCE_REVIEW" | "INFORMATION_REQUIRED" | "BANK_DELAY" | "OTHER" | Other;
                /** @description What the custodian needs to go on. Empty: it decides. */
                needs: string[];
                /**
                 * Format: date-time
                 * @description Until when the custodian waits, as it said. Nothing ends then by itself.
                 */
                until?: string;
                /**
                 * Format: date-time
                 * @description Since when, as the report says, or when it was reported.
                 */
                heldAt: string;
                /** @description The custodian's reference, where the report named it. */
                providerReference?: string;
            };
            collect?: components["schemas"]["Collect"];
        };
        /** @description Where the money of one token is. …/movements has the lines, with their reasons. */
        PlanMoney: {
            asset: components["schemas"]["MoneyToken"];
            /** @description What came: deposits, what the swap brought, and what came back. */
            in: string;
            /** @description What went: swapped, paid out, refunded or deducted. */
            out: string;
            /** @description in - out. In the asset's smallest units; less than 0 where more was spent than came. */
            left: string;
            /** @description The part of left that the plan has no use for, and that was not there when somebody ended the plan. Money that came and money that was spent are set off: 0 can be both, and next.why is MONEY_UNEXPLAINED then. */
            unexplained: string;
        };
        /** @description With expand=executions: the choices of the request, with the defaults of what it left out. */
        PlanOptions: {
            /**
             * @description STANDARD: to the recipient that the request names. DIGITAL_COLLECT: the recipient is e-mailed a link and chooses.
             * @enum {string}
             */
            mode: "STANDARD" | "DIGITAL_COLLECT" | Other;
            /** @description The wallet that will execute the swap. */
            sender?: string;
            /** @description The address that the service watches. */
            depositAddress?: string;
            /** @description Accepted slippage in basis points (hundredths of a percent). */
            slippageBps: number;
            /** @description The price floor. */
            minAmountOut?: string;
            /** @description With DIGITAL_COLLECT only. */
            collect?: {
                /** @description How long a link lives, as an ISO 8601 duration. */
                expiresIn: string;
                locale?: string;
                /** @description Shown to the recipient. */
                message?: string;
                allowedDestinations?: string[];
            };
        };
        ProbeAnswer: {
            /**
             * @description All is well.
             * @enum {string}
             */
            status: "OK";
        };
        /** @description The body of every error (RFC 9457). */
        Problem: {
            /** @description Address of a page that explains the problem and its remedy. */
            type: string;
            /** @description The kind of problem in a few words; the same for every occurrence. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What happened this time, and what to do. */
            detail?: string;
            code?: components["schemas"]["ProblemCode"];
            /** @description Everything that is wrong, not only the first. */
            errors?: components["schemas"]["FieldError"][];
            /** @description revision-mismatch: the revision that the plan or the recipient has now. */
            revision?: number;
            /** @description Also in the X-Request-Id header; name it when asking for help. */
            requestId?: string;
        };
        /**
         * @description The last part of type: what programs compare. More words may come; treat one that you do not know by its status.
         * @enum {string}
         */
        ProblemCode: "validation-failed" | "malformed-json" | "malformed-request" | "unknown-chain" | "unknown-token" | "token-not-traded" | "same-token" | "no-route" | "insufficient-liquidity" | "amount-out-of-range" | "price-impact-too-high" | "holdings-needed" | "simulation-failed" | "unknown-corridor" | "corridor-suspended" | "recipient-invalid" | "recipient-not-approved" | "payee-check-required" | "mode-not-supported" | "client-reference-reused" | "request-in-progress" | "recipient-not-erasable" | "details-erased" | "cursor-expired" | "step-not-ready" | "execution-in-flight" | "revision-mismatch" | "approval-required" | "approval-not-due" | "recipient-not-active" | "evidence-mismatch" | "deposit-address-in-use" | "webhook-endpoint-disabled" | "too-many-webhook-endpoints" | "format-not-supported" | "too-many-rows" | "report-not-ready" | "statement-invalid" | "match-mismatch" | "unauthorized" | "forbidden" | "own-approval" | "not-found" | "method-not-allowed" | "rate-limited" | "request-timeout" | "body-too-large" | "unsupported-media-type" | "headers-too-large" | "internal" | "market-stale" | "nodes-disagree" | "market-mismatch" | "simulation-unavailable" | "upstream-unavailable" | "outcome-unknown" | "overloaded" | "execution-mode-not-supported" | "idempotency-key-required" | "idempotency-key-reused" | "reconcile-first" | "not-replaceable" | "limit-not-met" | "policy-refused" | "signer-failed" | "unsafe-answer" | Other;
        /** @description A quote derived from live chain state. Until expiresAt it is valid for planning. tokenIn and tokenOut are echoed as sent. amountIn and amountOut are exact; if route.rounding is present, they are exact within it. */
        Quote: {
            asOf: components["schemas"]["AsOf"];
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            expiresAt: string;
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            tokenIn: string;
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            tokenOut: string;
            /** @description What tokenIn is. */
            assetIn?: components["schemas"]["MoneyToken"];
            /** @description What tokenOut is. */
            assetOut?: components["schemas"]["MoneyToken"];
            /**
             * @description EXACT_IN: the given amount is the exact input and the response gives the output. EXACT_OUT: the given amount is the exact output and the response gives the required input.
             * @enum {string}
             */
            tradeType: "EXACT_IN" | "EXACT_OUT" | Other;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountIn: string;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountOut: string;
            fees?: components["schemas"]["Fees"];
            route?: components["schemas"]["Route"];
        };
        /** @description What is to be changed. A member that is left out stays. */
        RecipientEdit: {
            /** @description Whole new details, of the same type: they are a new version. */
            recipient?: components["schemas"]["GivenRecipient"];
            /** @description Another label; null takes it away. */
            label?: string | null;
            /** @description Up to 20 string pairs of the caller's own, kept as sent. Stored in clear: no personal data. */
            metadata?: {
                [key: string]: string;
            };
        };
        /** @description An event of a registered recipient. */
        RecipientEvent: {
            /** @description The same for every delivery of this event. */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            /**
             * @description Where it happened.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events. */
            sequence: number;
            /** @description The step, for events of steps. */
            stepId?: string;
            evidence?: components["schemas"]["EventEvidence"];
            /**
             * @description What happened.
             * @enum {string}
             */
            type: "recipient.created" | "recipient.updated" | "recipient.approved" | "recipient.rejected" | "recipient.deactivated" | "recipient.erased";
            subject: {
                /** @constant */
                type: "recipient";
                id: string;
            };
            data: {
                object: components["schemas"]["RegisteredRecipient"];
                /** @description The members of the object that changed, as they were before. */
                previous?: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description The details that are decided about. */
        RecipientJudgement: {
            /** @description The version that was looked at: another one that came meanwhile is not decided about. */
            version: number;
        };
        /** @description A recipient to keep. */
        RecipientRequest: {
            recipient: components["schemas"]["GivenRecipient"];
            /** @description The caller's stable reference and idempotency key: unique for ever among the organisation's recipients, compared character by character. The same body again gives the same recipient. */
            clientReference?: string;
            /** @description A name of your own for it. Stored in clear: no personal data. */
            label?: string;
            /** @description Up to 20 string pairs of the caller's own, kept as sent. Stored in clear: no personal data. */
            metadata?: {
                [key: string]: string;
            };
        };
        /** @description A JSON Schema (2020-12) of the recipient object, with labels (title) and hints (description): the one that validates requests. Its formats: iban, bic, clabe, aba-routing-number, evm-address, email-address. */
        RecipientRequirements: {
            [key: string]: unknown;
        };
        /** @description Details that a recipient has or had, masked. */
        RecipientVersion: {
            version: number;
            recipient: components["schemas"]["RecipientView"];
            verification?: components["schemas"]["PayeeCheck"];
            /** @description What a second person decided about this version. Absent: nobody was asked, or nobody has answered yet. */
            approval?: {
                /**
                 * @description What was decided.
                 * @enum {string}
                 */
                result: "APPROVED" | "REJECTED" | Other;
                /** @description The credential that has decided. */
                by: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                at: string;
            };
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            createdAt: string;
            /** @description The credential that sent the details. */
            createdBy: string;
        };
        /** @description A page of versions. */
        RecipientVersionList: {
            /** @description Newest first. */
            data: components["schemas"]["RecipientVersion"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description A recipient, masked: enough to recognise, not enough to pay. */
        RecipientView: components["schemas"]["BankRecipientView"] | components["schemas"]["WalletRecipientView"] | components["schemas"]["EmoneyRecipientView"] | components["schemas"]["EmailRecipientView"];
        /** @description Something that a person should look at before money is sent. It refuses nothing. */
        RecipientWarning: {
            /**
             * @description LOOKALIKE_ADDRESS: the first four and the last four digits are those of another address that the organisation registered or paid. DUPLICATE_DETAILS: another registered recipient has the same details. DETAILS_CHANGED_RECENTLY: less than 72 hours ago. FIRST_PAYMENT: no payment to these details is COMPLETED. ERASURE_NOT_RECORDED: said of an erasure where a backup from before would bring the details back.
             * @enum {string}
             */
            code: "LOOKALIKE_ADDRESS" | "DUPLICATE_DETAILS" | "DETAILS_CHANGED_RECENTLY" | "FIRST_PAYMENT" | "ERASURE_NOT_RECORDED" | Other;
            /** @description A sentence for a person. */
            detail: string;
            /** @description The registered recipient that was compared with. */
            recipientId?: string;
        };
        RecoveredEvents: {
            /** @description How many events are sent, at most 10,000. */
            recovered: number;
            /**
             * Format: date-time
             * @description Present when there are more: send the request again with this as since.
             */
            nextSince?: string;
        };
        /** @description Money that went back to the payer. The same reference or transfer again changes nothing. */
        RefundReport: {
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amount: string;
            /** @description The token that went back. */
            asset: components["schemas"]["MoneyToken"];
            /** @description Checked on the chain. VERIFIED where the transfer comes from an account of the plan and goes to an account that the deposit came from, else REPORTED. */
            txHash?: string;
            /** @description With txHash: which transfer of the transaction is meant. */
            logIndex?: number;
            /** @description Your or the custodian's reference, and no hash of a transaction: that is txHash. Required without txHash; left out beside it for native currency. */
            providerReference?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            occurredAt?: string;
            /** @description true: also money that was left when the plan ended as SETTLED_ELSEWHERE, because it went back after all. */
            force?: boolean;
        };
        /** @description A report over a period. The same period gives the same file, whenever it is asked for, unless it names the columns reconciliation or statementEntry. */
        Report: {
            /** @description Unique identifier of a report. */
            reportId: string;
            /**
             * @description What it tells of.
             * @enum {string}
             */
            type: "movements" | "execution-quality" | "plans" | "journal" | Other;
            /**
             * @description The format of the file.
             * @enum {string}
             */
            format: "csv" | "json" | "xlsx" | "camt.053" | Other;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            from: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            to: string;
            /** @description A calendar month of timezone that is over, in place of from and to. */
            period?: string;
            /** @description The IANA time zone of valueDate. */
            timezone: string;
            /** @description The columns of the file, in their order; none for camt.053. */
            columns: string[];
            /** @description The accounts of a journal, as your ledger calls them. Absent ones have the name of their role. Only of journal. */
            accounts?: {
                funding?: string;
                inTransit?: string;
                custodian?: string;
                payee?: string;
                fees?: string;
                gas?: string;
                rounding?: string;
                fx?: string;
            };
            /** @description Whether the csv begins with one. */
            byteOrderMark?: boolean;
            /** @description Which rows the report has. Absent: all. */
            filter?: {
                /** @description What is of plans of this corridor alone. */
                corridorId?: string;
                /**
                 * @description The movements of this kind alone; of movements only.
                 * @enum {string}
                 */
                kind?: "DEPOSIT" | "SWAP_IN" | "SWAP_OUT" | "PAYOUT" | "RETURN" | "REFUND" | "DEDUCTION" | Other;
            };
            /**
             * @description PENDING: it is being made. COMPLETE: the file can be downloaded. FAILED: there is none.
             * @enum {string}
             */
            status: "PENDING" | "COMPLETE" | "FAILED" | Other;
            /** @description How many rows the file has, its header not counted. */
            rows?: number;
            /** @description How long the file is. */
            bytes?: number;
            /** @description The SHA-256 of the file, in hexadecimal. */
            sha256?: string;
            /** @description The columns of metadata that no row has anything in: perhaps misspelt names. */
            emptyColumns?: string[];
            /** @description By asset and kind, whatever columns the file has. For camt.053, in the currency. */
            controlTotals?: {
                asset: components["schemas"]["Asset"];
                /**
                 * @description The kind of movements.
                 * @enum {string}
                 */
                kind: "DEPOSIT" | "SWAP_IN" | "SWAP_OUT" | "PAYOUT" | "RETURN" | "REFUND" | "DEDUCTION" | Other;
                /** @description How many rows of the file it has. */
                rows: number;
                /** @description In the asset's smallest units. Reversed money counts as negative. */
                amount: string;
                /** @description The same in whole units. */
                amountDecimal?: string;
            }[];
            /** @description The path of the file. It needs a credential, like every path. */
            downloadUrl?: string;
            /** @description Why there is no file. */
            failure?: {
                /**
                 * @description GAVE_UP: it was begun too often; ask for it again. TOO_MANY_ROWS: rows that came after the request are more than its format holds; ask for csv, or for a shorter period. FORMAT_NOT_SUPPORTED: something came after the request that its format cannot hold; detail says what.
                 * @enum {string}
                 */
                code: "GAVE_UP" | "TOO_MANY_ROWS" | "FORMAT_NOT_SUPPORTED" | Other;
                detail: string;
            };
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            updatedAt: string;
        };
        /** @description An event of a report. */
        ReportEvent: {
            /** @description The same for every delivery of this event. */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            /**
             * @description Where it happened.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events. */
            sequence: number;
            /** @description The step, for events of steps. */
            stepId?: string;
            evidence?: components["schemas"]["EventEvidence"];
            /**
             * @description What happened.
             * @enum {string}
             */
            type: "report.updated" | "report.completed" | "report.failed";
            subject: {
                /** @constant */
                type: "report";
                id: string;
            };
            data: {
                object: components["schemas"]["Report"];
                /** @description The members of the object that changed, as they were before. */
                previous?: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description A page of reports. */
        ReportList: {
            /** @description Newest first. */
            data: components["schemas"]["Report"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description A report to make. */
        ReportRequest: {
            /**
             * @description movements: a row for each movement of money, as the ledger has them. execution-quality: a row for each execution of a swap, with the quoted and the received amount. plans: a row for each plan whose money moved, with the planned and the settled amount. journal: balanced debit and credit lines for each movement, to be posted.
             * @enum {string}
             */
            type: "movements" | "execution-quality" | "plans" | "journal";
            /**
             * @description The format of the file. xlsx holds at most 100,000 rows. camt.053 (.001.08) is of movements, with filter.corridorId: a statement of what the custodian of the corridor paid in its currency, with balances.
             * @enum {string}
             */
            format: "csv" | "json" | "xlsx" | "camt.053";
            /**
             * Format: date-time
             * @description What was recorded from this time on. It is included. Absent where period is given.
             */
            from?: string;
            /**
             * Format: date-time
             * @description What was recorded before this time. It is not included, and not in the future. Absent where period is given.
             */
            to?: string;
            /** @description A calendar month of timezone that is over, in place of from and to. */
            period?: string;
            /** @description The IANA time zone of valueDate. Times in the file are UTC. Absent: UTC. */
            timezone?: string;
            /** @description The columns of the file, in their order. Absent: those of columnSet. Not for camt.053. */
            columns?: (("movementId" | "kind" | "reverses" | "planId" | "clientReference" | "corridorId" | "mode" | "stepId" | "stepType" | "attempt" | "direction" | "status" | "verification" | "reason" | "note" | "chainId" | "address" | "symbol" | "amount" | "decimals" | "amountDecimal" | "currency" | "paidAmount" | "paidAmountDecimal" | "feeCurrency" | "feeAmount" | "feeAmountDecimal" | "expectedAmount" | "driftAmount" | "driftBps" | "quotedRate" | "realisedRate" | "gasUsed" | "gasCost" | "txHash" | "logIndex" | "blockNumber" | "blockTime" | "providerReference" | "endToEndId" | "recipientId" | "recipientMasked" | "destinationType" | "failureCode" | "createdAt" | "completedAt" | "valueDate" | "recordedAt" | "reconciliation" | "statementEntry" | "executionId" | "tokenIn" | "symbolIn" | "amountIn" | "amountInDecimal" | "tokenOut" | "symbolOut" | "expectedAmountDecimal" | "minimumAmount" | "minimumAmountDecimal" | "receivedAmount" | "receivedAmountDecimal" | "transferCount" | "differenceAmount" | "differenceAmountDecimal" | "differenceBps" | "marketAmount" | "marketAmountDecimal" | "marketMovedBps" | "restBps" | "aboveMinimumBps" | "slippageBps" | "priceImpactBps" | "routeGapBps" | "upperBoundAmount" | "upperBoundAmountDecimal" | "receivedToBoundBps" | "quotedGasUnits" | "quotedGasCost" | "quotedGasBps" | "poolFeeAmount" | "poolFeeAmountDecimal" | "poolFeeAmountOut" | "poolFeeAmountOutDecimal" | "gasAmountOut" | "gasAmountOutDecimal" | "costCurrency" | "quotedAt" | "quotedBlock" | "settledAt" | "settledBlock" | "blocksBetween" | "plannedAmountIn" | "plannedAmountInDecimal" | "depositedAmount" | "depositedAmountDecimal" | "swappedInAmount" | "swappedInAmountDecimal" | "refundedInAmount" | "refundedInAmountDecimal" | "expectedAmountOut" | "expectedAmountOutDecimal" | "swappedOutAmount" | "swappedOutAmountDecimal" | "paidOutAmount" | "paidOutAmountDecimal" | "returnedAmount" | "returnedAmountDecimal" | "refundedOutAmount" | "refundedOutAmountDecimal" | "deductedAmount" | "deductedAmountDecimal" | "otherMovements" | "depositedAt" | "swappedAt" | "paidAt" | "depositSeconds" | "swapSeconds" | "payoutSeconds" | "totalSeconds" | "entryNumber" | "line" | "postingDate" | "account" | "accountRole" | "description" | "debit" | "credit") | string)[];
            /**
             * @description A set of columns, in place of columns. finance: those that a person reads, with the id of each row. full, and absent: all but reconciliation, statementEntry and metadata.
             * @enum {string}
             */
            columnSet?: "full" | "finance";
            /** @description The accounts of a journal, as your ledger calls them. Absent ones have the name of their role. Only of journal. */
            accounts?: {
                funding?: string;
                inTransit?: string;
                custodian?: string;
                payee?: string;
                fees?: string;
                gas?: string;
                rounding?: string;
                fx?: string;
            };
            /** @description Whether a csv begins with a byte order mark, by which Excel knows UTF-8. Absent: no. */
            byteOrderMark?: boolean;
            /** @description Which rows the report has. Absent: all. */
            filter?: {
                /** @description What is of plans of this corridor alone. */
                corridorId?: string;
                /**
                 * @description The movements of this kind alone; of movements only.
                 * @enum {string}
                 */
                kind?: "DEPOSIT" | "SWAP_IN" | "SWAP_OUT" | "PAYOUT" | "RETURN" | "REFUND" | "DEDUCTION";
            };
        };
        ResentDeliveries: {
            /** @description What is sent again. */
            data: components["schemas"]["WebhookDelivery"][];
        };
        /** @description A recipient's full details. That they were revealed is recorded. */
        RevealedRecipient: {
            planId: string;
            /** @description The full details. */
            recipient: components["schemas"]["GivenRecipient"];
        };
        /** @description A registered recipient's full details. That they were revealed is recorded. */
        RevealedRegisteredRecipient: {
            /** @description Unique identifier of a registered recipient. */
            recipientId: string;
            version: number;
            /** @description The full details. */
            recipient: components["schemas"]["GivenRecipient"];
        };
        /** @description How the trade travels through the markets. */
        Route: {
            /** @description Present where an end of the trade is the chain's native currency. Two addresses mean it: 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE and the zero address. */
            native?: {
                /**
                 * @description The end that is native currency.
                 * @enum {string}
                 */
                field: "tokenIn" | "tokenOut" | Other;
                /** @description What the currency is called. */
                symbol: string;
                /** @description The wrapped token, which the pools trade in its place. */
                wrapped: components["schemas"]["MoneyToken"];
            };
            /** @description Sources used; empty for a plain wrap or unwrap. */
            sources: string[];
            /** @description Every swap through a pool; amounts add up exactly. */
            legs: components["schemas"]["RouteLeg"][];
            /** @description The paths the trade is split over. */
            paths: components["schemas"]["RoutePath"][];
            /** @description How far the executed price lies below what small trades get before the swap, fees aside, rounded up. */
            priceImpactBps: number;
            /** @description The bound that the swap instruction enforces on chain: minAmountOut for EXACT_IN, maxAmountIn for EXACT_OUT. */
            limits: {
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                minAmountOut?: string;
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                maxAmountIn?: string;
                /** @description Accepted slippage in basis points (hundredths of a percent). */
                slippageBps: number;
            };
            /** @description EXACT_OUT only: what the pools will pay beyond the amount asked, when they will. */
            surplus?: string;
            /** @description Present when a token of the route is accounted in shares (stETH and its like): then its transfers fall short by units. limits.minAmountOut allows for it, and the simulation moves the quoted amounts within it. */
            rounding?: {
                /** @description The tokens that round. */
                assets: components["schemas"]["MoneyToken"][];
                /** @description The most smallest units of such a token by which one transfer falls short. */
                unitsPerTransfer: string;
                /** @description The most smallest units of tokenOut that may be missing from amountOut at the end. */
                amountOut: string;
            };
            /** @description A certificate: how near the route is proven to be to the best possible one. */
            optimality?: {
                /** @description How far the amount really returned (EXACT_OUT: paid) is from the bound, gross of gas, in basis points, rounded up to thousandths. */
                gapBps: number;
                /** @description EXACT_IN: no route over the pools considered gives more of the output token. EXACT_OUT: none costs less of the input token. Gross of gas, in smallest units. */
                upperBound: string;
            };
            /** @description What this route keeps away from besides what the request excludes: tokens and pools over which swaps failed a short while ago. They are tried again after some time. The same request with their addresses in excludeTokens and excludePools is answered alike. Absent where nothing is kept away from. */
            avoided?: {
                /** @description Tokens that did not move as they were asked to. */
                assets: components["schemas"]["MoneyToken"][];
                /** @description Pools that a token of theirs refused. */
                pools: string[];
            };
            /** @description Hash of a block. */
            blockHash: string;
            /** @description How many nodes of the chain said alike what this depends on, of how many that are configured. */
            trust: {
                /** @description Nodes that said the same. */
                agreed: number;
                /** @description Nodes that are configured. */
                of: number;
            };
            /** @description How many pools and tokens were considered. */
            market: {
                pools: number;
                tokens: number;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description One swap through one pool, exact to the smallest unit. Native currency appears as its wrapped token. */
        RouteLeg: {
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            pool: string;
            /** @description The kind of pool. */
            kind: string;
            /** @description The name of the factory it comes from; what excludeSources takes. */
            source: string;
            /** @description The pool's fee in basis points. */
            feeBps: number;
            assetIn: components["schemas"]["MoneyToken"];
            assetOut: components["schemas"]["MoneyToken"];
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountIn: string;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountOut: string;
        };
        RoutePath: {
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountIn: string;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountOut: string;
            /** @description Tokens in the order the path passes them. */
            assets: components["schemas"]["MoneyToken"][];
            /** @description Pools in the order the path passes them. */
            pools: string[];
        };
        /** @description The built-in sandbox chain. Its contracts and its mail server are what a configuration of your own needs; `fairway config sandbox` writes one. */
        Sandbox: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description The sandbox chain's JSON-RPC address. */
            rpcUrl: string;
            /** @description Funded accounts to execute instructions with. */
            accounts: {
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                address: string;
                /** @description A throw-away key of the sandbox chain. Never use it elsewhere. */
                privateKey: string;
            }[];
            /** @description Router contracts by name. */
            routers: {
                [key: string]: string;
            };
            /** @description The contracts that made the pools. */
            factories: {
                /**
                 * @description What its pools are.
                 * @enum {string}
                 */
                kind: "UNISWAP_V2" | "UNISWAP_V3" | Other;
                /** @description The source that quotes name. */
                name: string;
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                address: string;
            }[];
            /** @description The token that wraps the native currency. */
            wrappedNative: string;
            /** @description Multicall3, which reads many pools at once. */
            multicall3: string;
            /** @description The mail server of the sandbox: what is sent there is shown at /sandbox/mailbox. */
            smtpUrl: string;
            tokens: components["schemas"]["Token"][];
        };
        /** @description A recipient that is kept under an id, masked. */
        RegisteredRecipient: {
            /** @description Unique identifier of a registered recipient. */
            recipientId: string;
            /** @description Rises with every change. It is the ETag. */
            revision: number;
            /** @description The number of the present details. New ones have a number that was never used; when they are rejected, the former details are back with theirs. */
            version: number;
            /**
             * @description ACTIVE: new plans can name it. PENDING_APPROVAL: none can until another credential has approved the present details. REJECTED: none can, as its details were rejected; new ones may follow. DEACTIVATED: none can, and that is for ever. ERASED: none can, and the full details are destroyed.
             * @enum {string}
             */
            status: "ACTIVE" | "PENDING_APPROVAL" | "REJECTED" | "DEACTIVATED" | "ERASED" | Other;
            /**
             * @description The kind of recipient. It never changes.
             * @enum {string}
             */
            type: "bank" | "wallet" | "emoney" | "email" | Other;
            recipient: components["schemas"]["RecipientView"];
            label?: string;
            clientReference?: string;
            /** @description Up to 20 string pairs of the caller's own, kept as sent. Stored in clear: no personal data. */
            metadata: {
                [key: string]: string;
            };
            /** @description The credential that set the present details. It cannot approve them. */
            detailsBy: string;
            verification?: components["schemas"]["PayeeCheck"];
            /** @description What a second person decided about this version. Absent: nobody was asked, or nobody has answered yet. */
            approval?: {
                /**
                 * @description What was decided.
                 * @enum {string}
                 */
                result: "APPROVED" | "REJECTED" | Other;
                /** @description The credential that has decided. */
                by: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 date-time with a time zone (RFC 3339).
                 */
                at: string;
            };
            /** @description As it is now: they change with time and with what else is kept. */
            warnings: components["schemas"]["RecipientWarning"][];
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When a plan was last made of it. Absent: never.
             */
            lastUsedAt?: string;
        };
        /** @description A page of registered recipients. */
        RegisteredRecipientList: {
            /** @description Newest first. */
            data: components["schemas"]["RegisteredRecipient"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description An event of the service itself. */
        ServiceEvent: {
            /** @description The same for every delivery of this event. */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            /**
             * @description Where it happened.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events. */
            sequence: number;
            /** @description The step, for events of steps. */
            stepId?: string;
            evidence?: components["schemas"]["EventEvidence"];
            /**
             * @description What happened.
             * @enum {string}
             */
            type: "service.recovered";
            subject: {
                /** @constant */
                type: "service";
                id: string;
            };
            data: {
                /** @description A restore of the database. */
                object: {
                    /**
                     * Format: date-time
                     * @description The moment of the backup: what came later may be told again.
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description When the operator ran fairway recover.
                     */
                    markedAt: string;
                };
                /** @description The members of the object that changed, as they were before. */
                previous?: {
                    [key: string]: unknown;
                };
            };
        };
        SimulateRequest: {
            /**
             * @description What to make happen; deposits and swaps by real transactions on the sandbox chain. collect: the recipient opens the link, submits destination (with collect.submitted alone) and enters the code, or lets the link expire.
             * @enum {string}
             */
            event: "deposit.exact" | "deposit.partial" | "deposit.over" | "deposit.late" | "deposit.dust" | "deposit.otherToken" | "swap.done" | "swap.reverted" | "swap.again" | "payout.done" | "payout.deducted" | "payout.short" | "payout.failed" | "payout.returned" | "payout.held" | "delivery.held" | "collect.opened" | "collect.submitted" | "collect.expired";
            destination?: components["schemas"]["GivenRecipient"];
        };
        /** @description What the chain would really move; present members apart from status only when PASSED. */
        Simulation: {
            /**
             * @description PASSED: exactly the amounts of the quote are moved, surplus included, within route.rounding where the quote has it, and beyond them only what priorHoldings names. UNAVAILABLE: the nodes could not simulate the swap and the operator allows such swaps; else it is refused. A swap that would revert, or move other amounts, is never returned.
             * @enum {string}
             */
            status: "PASSED" | "UNAVAILABLE" | Other;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountIn?: string;
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amountOut?: string;
            /** @description Gas units used. */
            gasUsed?: string;
            /**
             * Format: uint64
             * @description Block number (uint64).
             */
            blockNumber?: number;
            /** @description How many nodes of the chain said alike what this depends on, of how many that are configured. */
            trust?: {
                /** @description Nodes that said the same. */
                agreed: number;
                /** @description Nodes that are configured. */
                of: number;
            };
            /** @description Present when the swap moves more than was quoted. The router or a pool of the route held these tokens before without trading with them, and the next swap gets them. */
            priorHoldings?: {
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                holder: string;
                asset: components["schemas"]["MoneyToken"];
                /** @description In smallest units. */
                amount: string;
            }[];
        };
        /**
         * @description Accepted slippage in basis points (hundredths of a percent), 0 to 5000. Absent: 50, which is 0.5 %.
         * @default 50
         */
        SlippageBps: number;
        /** @description A file with statements. The same bytes are one import; of a CSV file, with the same map. */
        Statement: {
            statementId: string;
            /**
             * @description The format of the file.
             * @enum {string}
             */
            format: "camt.052" | "camt.053" | "camt.054" | "mt940" | "csv" | Other;
            /** @description The column map that it was read with. */
            map?: string;
            /** @description The statement that is of the same bytes, read with another map since. */
            replacedBy?: string;
            /** @description The SHA-256 of the file. */
            sha256: string;
            /** @description Its statements, in the order of the file. */
            sections: {
                /** @description The end of the account. */
                account: string;
                currency: string;
                /** @description The number that the bank gives the statement, or else its id. */
                number?: string;
                /** @description What the account held. */
                opening?: {
                    /** @description In minor units of the currency, negative when overdrawn. */
                    amount: string;
                    /** @description A day, YYYY-MM-DD. */
                    on: string;
                };
                /** @description What the account held. */
                closing?: {
                    /** @description In minor units of the currency, negative when overdrawn. */
                    amount: string;
                    /** @description A day, YYYY-MM-DD. */
                    on: string;
                };
                /**
                 * @description YES: opening and entries come to closing, else a statement is refused. UNKNOWN: the file has no balances, or it is a report of a day (camt.052) or a notification (camt.054), which need not have all entries.
                 * @enum {string}
                 */
                isBalanced: "YES" | "UNKNOWN" | Other;
                /** @description The statement of this account before it closed with another balance than this one opens with: one between them is missing. Absent: it follows, or none before is known. */
                gap?: {
                    afterStatementId: string;
                    /** @description What the account held. */
                    expectedOpening: {
                        /** @description In minor units of the currency, negative when overdrawn. */
                        amount: string;
                        /** @description A day, YYYY-MM-DD. */
                        on: string;
                    };
                };
            }[];
            /** @description How many entries it has, by how they stand. */
            entries: {
                OPEN: number;
                TENTATIVE: number;
                PARTLY_MATCHED: number;
                MATCHED: number;
                IGNORED: number;
                TOTAL: number;
            };
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            createdAt: string;
        };
        /** @description Where a CSV file has what. */
        StatementColumnMap: {
            /** @description The account that the files are of: its IBAN, or what its servicer calls it. */
            account: string;
            /** @description The currency of the account (ISO 4217). */
            currency: string;
            /**
             * @description What stands between the columns. Absent: a comma.
             * @enum {string}
             */
            delimiter?: "," | ";" | "\t" | "|";
            /**
             * @description What amounts are written with. Absent: a point.
             * @enum {string}
             */
            decimalSeparator?: "." | ",";
            /**
             * @description How days are written. Days and months of one digit, years of two, and a time behind the day are read, too. Absent: YYYY-MM-DD.
             * @enum {string}
             */
            dateFormat?: "YYYY-MM-DD" | "DD.MM.YYYY" | "DD/MM/YYYY" | "DD-MM-YYYY" | "MM/DD/YYYY" | "YYYY/MM/DD" | "YYYYMMDD";
            /** @description How many lines stand before the header. Absent: 0. */
            skipLines?: number;
            /** @description Rows that are no booked entries, by what a column has. */
            leaveOut?: {
                column: string;
                /** @description Without letter case. */
                values: string[];
            };
            /** @description The names of the columns in the header of the file. */
            columns: {
                /** @description The day of booking. */
                bookedOn: string;
                /** @description The day of value. Absent: that of booking. */
                valueOn?: string;
                /** @description The amount, negative where money left. Absent: credit and debit are given. */
                amount?: string;
                /** @description The direction of amount, in words such as D and C, Debit and Credit, Af and Bij. */
                direction?: string;
                /** @description The amount that came; 0 or empty where none did. Given with debit, in place of amount. */
                credit?: string;
                /** @description The amount that left, with a minus or without; 0 or empty where none did. Given with credit, in place of amount. */
                debit?: string;
                /** @description What the account held after the entry, in some rows or all. With it the entries are checked to add up. */
                balance?: string;
                /** @description The bank's own reference of the entry. */
                servicerReference?: string;
                /** @description The end-to-end id of the payment. */
                endToEndId?: string;
                /** @description Another reference of the payment. */
                reference?: string;
                /** @description The name of the other side. */
                name?: string;
                /** @description The account of the other side. */
                account?: string;
                /** @description What the payment is for. */
                text?: string;
            };
        };
        /** @description Something that does not agree. */
        StatementDifference: {
            /**
             * @description ENTRY_NOT_MATCHED: an entry is OPEN, TENTATIVE or PARTLY_MATCHED. MOVEMENT_TAKEN_BACK: an entry is a movement that the ledger took back since. MOVEMENT_NOT_MATCHED: a payout or return in these days and this currency is no entry, or not with all of it.
             * @enum {string}
             */
            kind: "ENTRY_NOT_MATCHED" | "MOVEMENT_TAKEN_BACK" | "MOVEMENT_NOT_MATCHED" | Other;
            entry?: components["schemas"]["StatementEntry"];
            ledger?: components["schemas"]["StatementMovement"];
            /** @description What of the movement no entry is. */
            openAmount?: string;
        };
        /** @description A page of differences: first those of entries, then movements. */
        StatementDifferenceList: {
            data: components["schemas"]["StatementDifference"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description An entry of a statement, beside the ledger and the chain. */
        StatementEntry: {
            entryId: string;
            /**
             * @description OPEN: it is no movement that is known. TENTATIVE: it may be one of proposals. PARTLY_MATCHED: openAmount of it is no movement yet.
             * @enum {string}
             */
            status: "OPEN" | "TENTATIVE" | "PARTLY_MATCHED" | "MATCHED" | "IGNORED" | Other;
            /**
             * @description How it is known: you have told it.
             * @constant
             */
            verification: "REPORTED";
            /**
             * @description Whether money came to the account or left it.
             * @enum {string}
             */
            direction: "IN" | "OUT" | Other;
            /** @description In minor units of the currency (ISO 4217). */
            amount: string;
            /** @description What of it is not matched. */
            openAmount: string;
            asset: components["schemas"]["Asset"];
            /** @description A day, YYYY-MM-DD. */
            bookedOn: string;
            /** @description A day, YYYY-MM-DD. */
            valueOn: string;
            /** @description Whether the bank takes an earlier entry back with it. */
            isReversal: boolean;
            /** @description Whether it is what the payments of a booking do not come to, such as a fee. */
            isRest: boolean;
            /** @description The bank's own reference. */
            servicerReference?: string;
            endToEndId?: string;
            /** @description All other references of it. */
            references: string[];
            /** @description The bank's code of the kind of transaction. */
            code?: string;
            /** @description The other side, masked. */
            counterparty?: {
                name?: string;
                account?: string;
            };
            /** @description The movements that it is. In events without ledger. */
            matches: {
                movementId: string;
                planId: string;
                /** @description In minor units of the currency (ISO 4217). */
                amount: string;
                /**
                 * @description What led to it, or PERSON.
                 * @enum {string}
                 */
                by: "END_TO_END_ID" | "PROVIDER_REFERENCE" | "CLIENT_REFERENCE" | "CUT_REFERENCE" | "AMOUNT_DATE_NAME" | "PERSON" | Other;
                ledger?: components["schemas"]["StatementMovement"];
            }[];
            /** @description The movements that it may be, for a person to decide. In events without ledger. */
            proposals: {
                movementId: string;
                /**
                 * @description What led from the entry to the movement.
                 * @enum {string}
                 */
                by: "END_TO_END_ID" | "PROVIDER_REFERENCE" | "CLIENT_REFERENCE" | "CUT_REFERENCE" | "AMOUNT_DATE_NAME" | Other;
                reasons: ("AMOUNT_DIFFERS" | "AMOUNT_UNKNOWN" | "CURRENCY_DIFFERS" | "DIRECTION_DIFFERS" | "DAY_DIFFERS" | "REFERENCE_CUT" | "REFERENCE_DIFFERS" | "ACCOUNT_DIFFERS" | "NAME_DIFFERS" | "NAME_UNKNOWN" | "SEVERAL_MOVEMENTS" | "SEVERAL_ENTRIES" | "MOVEMENT_TAKEN" | "REVERSAL" | "EARLIER_ATTEMPT")[];
                ledger?: components["schemas"]["StatementMovement"];
            }[];
            /** @description Why it is ignored. */
            ignoredReason?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            updatedAt: string;
        };
        /** @description An event of an entry of a statement, without the movements of the ledger. */
        StatementEntryEvent: {
            /** @description The same for every delivery of this event. */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            /**
             * @description Where it happened.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events. */
            sequence: number;
            /** @description The step, for events of steps. */
            stepId?: string;
            evidence?: components["schemas"]["EventEvidence"];
            /**
             * @description What happened.
             * @enum {string}
             */
            type: "statement_entry.updated" | "statement_entry.matched" | "statement_entry.unmatched" | "statement_entry.ignored";
            subject: {
                /** @constant */
                type: "statement_entry";
                id: string;
            };
            data: {
                object: components["schemas"]["StatementEntry"];
                /** @description The members of the object that changed, as they were before. */
                previous?: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description A page of entries, in the order of the statement. */
        StatementEntryList: {
            data: components["schemas"]["StatementEntry"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description An event of a statement of an account. */
        StatementEvent: {
            /** @description The same for every delivery of this event. */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            /**
             * @description Where it happened.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events. */
            sequence: number;
            /** @description The step, for events of steps. */
            stepId?: string;
            evidence?: components["schemas"]["EventEvidence"];
            /**
             * @description What happened.
             * @enum {string}
             */
            type: "statement.imported";
            subject: {
                /** @constant */
                type: "statement";
                id: string;
            };
            data: {
                object: components["schemas"]["Statement"];
                /** @description The members of the object that changed, as they were before. */
                previous?: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description The file: camt.053, camt.052 or camt.054 of .001.02 to .001.13, MT940, or CSV with a column map. At most 32 MiB, not compressed. */
        StatementFile: string;
        /** @description The file as a form. */
        StatementForm: {
            /** @description The file. */
            file: string;
            /** @description The column map of a CSV file. */
            map?: string;
        };
        /** @description A page of statements, newest first. */
        StatementList: {
            data: components["schemas"]["Statement"][];
            /** @description Absent on the last page. */
            nextCursor?: string;
        };
        /** @description A column map under its name. */
        StatementMap: {
            name: string;
            map: components["schemas"]["StatementColumnMap"];
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            updatedAt: string;
        };
        /** @description All column maps. */
        StatementMapList: {
            /** @description By name. */
            data: components["schemas"]["StatementMap"][];
            /** @description Always absent: the maps are one page. */
            nextCursor?: string;
        };
        /** @description A column map that a sample suggests. Nothing is kept. */
        MapSuggestion: {
            /** @description The map as far as the sample shows it. Keep it under a name once nothing is missing. */
            map: {
                /** @description The account that the files are of: its IBAN, or what its servicer calls it. */
                account?: string;
                /** @description The currency of the account (ISO 4217). */
                currency?: string;
                /**
                 * @description What stands between the columns. Absent: a comma.
                 * @enum {string}
                 */
                delimiter?: "," | ";" | "\t" | "|" | Other;
                /**
                 * @description What amounts are written with. Absent: a point.
                 * @enum {string}
                 */
                decimalSeparator?: "." | "," | Other;
                /**
                 * @description How days are written. Days and months of one digit, years of two, and a time behind the day are read, too. Absent: YYYY-MM-DD.
                 * @enum {string}
                 */
                dateFormat?: "YYYY-MM-DD" | "DD.MM.YYYY" | "DD/MM/YYYY" | "DD-MM-YYYY" | "MM/DD/YYYY" | "YYYY/MM/DD" | "YYYYMMDD" | Other;
                /** @description How many lines stand before the header. Absent: 0. */
                skipLines?: number;
                /** @description Rows that are no booked entries, by what a column has. */
                leaveOut?: {
                    column: string;
                    /** @description Without letter case. */
                    values: string[];
                };
                columns: {
                    /** @description The day of booking. */
                    bookedOn?: string;
                    /** @description The day of value. Absent: that of booking. */
                    valueOn?: string;
                    /** @description The amount, negative where money left. Absent: credit and debit are given. */
                    amount?: string;
                    /** @description The direction of amount, in words such as D and C, Debit and Credit, Af and Bij. */
                    direction?: string;
                    /** @description The amount that came; 0 or empty where none did. Given with debit, in place of amount. */
                    credit?: string;
                    /** @description The amount that left, with a minus or without; 0 or empty where none did. Given with credit, in place of amount. */
                    debit?: string;
                    /** @description What the account held after the entry, in some rows or all. With it the entries are checked to add up. */
                    balance?: string;
                    /** @description The bank's own reference of the entry. */
                    servicerReference?: string;
                    /** @description The end-to-end id of the payment. */
                    endToEndId?: string;
                    /** @description Another reference of the payment. */
                    reference?: string;
                    /** @description The name of the other side. */
                    name?: string;
                    /** @description The account of the other side. */
                    account?: string;
                    /** @description What the payment is for. */
                    text?: string;
                };
            };
            /** @description What a map needs and the sample does not show. */
            missing: string[];
            /** @description What to compare with the file, each with its field in front. */
            doubts: string[];
            /** @description The first rows as the map reads them. Empty while something is missing. */
            rows: {
                /** @description The line of the file. */
                line: number;
                /** @description A day, YYYY-MM-DD. */
                bookedOn: string;
                /** @description A day, YYYY-MM-DD. */
                valueOn: string;
                /**
                 * @description Whether money came to the account or left it.
                 * @enum {string}
                 */
                direction: "IN" | "OUT" | Other;
                /** @description In minor units of the currency (ISO 4217). */
                amount: string;
                asset: components["schemas"]["Asset"];
                /** @description In minor units. */
                balance?: string;
                endToEndId?: string;
                references: string[];
                /** @description The other side, masked. */
                counterparty?: {
                    name?: string;
                    account?: string;
                };
            }[];
            /** @description Why the map cannot read the row behind these. */
            fault?: string;
        };
        /** @description A movement of the ledger, with the transfer on the chain behind it. Each with how it is known. */
        StatementMovement: {
            planId: string;
            movement: components["schemas"]["Movement"];
            /** @description What a statement shows of it. */
            bank: {
                currency: string;
                /** @description What the bank moved, in minor units. Absent where the custodian converted and nobody reported what was paid. */
                amount?: string;
            };
            /** @description Whether a later movement takes it back: it was not so. */
            isTakenBack: boolean;
            /** @description The transfer on the chain. */
            log?: {
                /**
                 * @description What the transfer is for the plan. Another kind than the movement: it brought what was paid.
                 * @enum {string}
                 */
                kind: "DEPOSIT" | "SWAP_OUT" | "PAYOUT" | "RETURN" | Other;
                /** @description Where it is on the chain. A member that was not recorded is absent. */
                transfer: {
                    /**
                     * Format: uint64
                     * @description EIP-155 chain id, written in plain decimal digits (uint64).
                     */
                    chainId: number;
                    /** @description Hash of a transaction. */
                    txHash: string;
                    /** @description The index of its log in the block. Absent for SWAP_IN. Only a further call of one transaction has one: the log of what that call brought. */
                    logIndex?: number;
                    /**
                     * Format: uint64
                     * @description Block number (uint64).
                     */
                    blockNumber: number;
                    /** @description Hash of a block. */
                    blockHash: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 date-time with a time zone (RFC 3339).
                     */
                    blockTime?: string;
                    /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                    from?: string;
                    /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                    to?: string;
                };
                /**
                 * @description VERIFIED: read on the chain; a deposit also came to options.depositAddress, and a payout to a wallet from one of the corridor's payoutAddresses. REPORTED: the integrator says so, and a transaction that was named does not contradict it. UNVERIFIABLE: there is nothing to check it against.
                 * @enum {string}
                 */
                verification: "VERIFIED" | "REPORTED" | "UNVERIFIABLE" | Other;
            };
        };
        /** @description What became of a step. The same report again changes nothing. */
        StepReport: {
            /**
             * @description SUBMITTED: a transaction that executes the instructions is signed and may be sent; with attemptId and txHash. SENT: the custodian has sent what the recipient chose, and it has not arrived. RETURNED: a payment that was DONE, or a part of one, came back. HELD: the custodian holds a payment back that is due; with hold. FAILED, of SEND_DIGITAL_COLLECT: the recipient is asked again.
             * @enum {string}
             */
            outcome: "SUBMITTED" | "DONE" | "SENT" | "FAILED" | "RETURNED" | "HELD";
            /** @description With SUBMITTED: the attempt whose instructions it executes. */
            attemptId?: string;
            /** @description With SUBMITTED, beside nonce: the account that signed. With both, a transaction that replaces it is found. */
            sender?: string;
            /** @description With SUBMITTED, beside sender: its nonce. */
            nonce?: number;
            /** @description Checked on the chain; a claim it does not bear out is a 409. */
            txHash?: string;
            /** @description With txHash, for a payout to a wallet or a deposit to options.sender: which transfer of the transaction is meant, by the index of its log in the block. Absent: the one that is recorded already, else the one of exactly the amount that is due; else, of a payout, the largest below it, and of a deposit all of them, where they are no more. */
            logIndex?: number;
            /** @description The custodian's reference; required for DONE where custodianAction.requiredEvidence says so. */
            providerReference?: string;
            /** @description What was paid out, in units of custodianAction.asset, not of the currency. "0" goes with corrects alone: nothing of this plan was paid by that payment. */
            amount?: string;
            /** @description With RETURNED, of a payment to an account: what came back, in the currency of the corridor. Where the custodian converts, amount alone does not say so. */
            returned?: components["schemas"]["Money"];
            /** @description What the beneficiary was paid: in the currency of the corridor, or in the token. Where the custodian converts, it settles all that is due, unless amount says less. With the fee or without it, it has to fit the rate. */
            paid?: components["schemas"]["Money"];
            /** @description What the custodian charged for it. Information. */
            fee?: components["schemas"]["Money"];
            /** @description Units of the currency for a unit of the token. Where the custodian converts, paid has to fit it. */
            rate?: string;
            /** @description What was kept back, so that less than is due was paid. */
            deductions?: {
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                amount: string;
                asset: components["schemas"]["Asset"];
                /** @description Why, in words. Stored in clear: no personal data. */
                reason: string;
            }[];
            /** @description The movementId of a payment that was told wrongly: it is taken back, and this one recorded. With the amount "0" it is only taken back: it was of something else. */
            corrects?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            occurredAt?: string;
            /** @description With HELD: why the custodian holds the payment back, and what it needs. */
            hold?: {
                /**
                 * @description Why the custodian holds the payment back.
                 * @enum {string}
                 */
                reason: "COMPLIANCE_REVIEW" | "INFORMATION_REQUIRED" | "BANK_DELAY" | "OTHER";
                /** @description What the custodian needs to go on. Absent or empty: the custodian decides. */
                needs?: string[];
                /**
                 * Format: date-time
                 * @description Until when the custodian waits, as it said. Nothing ends then by itself.
                 */
                until?: string;
            };
            failure?: {
                /**
                 * @description Why. REVERTED and INSTRUCTIONS_EXPIRED are of EXECUTE_SWAP, the others of payments.
                 * @enum {string}
                 */
                code: "REVERTED" | "INSTRUCTIONS_EXPIRED" | "ACCOUNT_NOT_FOUND" | "ACCOUNT_CLOSED" | "NAME_MISMATCH" | "COMPLIANCE_REFUSED" | "RAIL_UNAVAILABLE" | "INSUFFICIENT_FUNDS" | "OTHER";
                /** @description A sentence. Stored in clear: no personal data. */
                detail?: string;
            };
        };
        /** @description What keeps the sender from executing right now; null where nothing does. */
        SwapIssues: {
            /** @description The sender's balance, when it is short. */
            balance: {
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                actual: string;
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                required: string;
            } | null;
            /** @description The allowance of `spender`, when it is short; the plan then starts with approvals. */
            allowance: {
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                actual: string;
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                required: string;
                /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
                spender: string;
            } | null;
        };
        /** @description A fresh quote, and the calls that execute it. */
        SwapPlan: {
            quote: components["schemas"]["Quote"];
            /** @description In the order to execute them; the last one is the swap. */
            instructions?: components["schemas"]["Instruction"][];
            simulation?: components["schemas"]["Simulation"];
            issues?: components["schemas"]["SwapIssues"];
        };
        /** @description amount is the input for EXACT_IN and the output for EXACT_OUT. recipient receives the output; absent: sender, else the wallet that executes. deadline bounds the execution; absent: 20 minutes from now. sender is the wallet that will execute: with it the plan reports a short balance and contains any approval needed. */
        SwapPlanRequest: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description The token to pay with. Native currency is 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address. */
            tokenIn: string;
            /** @description The token to get. Native currency is 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address. */
            tokenOut: string;
            /**
             * @description EXACT_IN: the given amount is the exact input and the response gives the output. EXACT_OUT: the given amount is the exact output and the response gives the required input.
             * @enum {string}
             */
            tradeType: "EXACT_IN" | "EXACT_OUT";
            /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
            amount: string;
            slippageBps?: components["schemas"]["SlippageBps"];
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            recipient?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            deadline?: string;
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            sender?: string;
            /** @description Sources that may not be used. */
            excludeSources?: string[];
            /** @description Tokens that no path may pass on its way, each once. tokenIn and tokenOut cannot be among them. */
            excludeTokens?: string[];
            /** @description Pools that may not be used, each once. */
            excludePools?: string[];
            maxHops?: components["schemas"]["MaxHops"];
            maxSplits?: components["schemas"]["MaxSplits"];
        };
        TestedWebhookEndpoint: {
            /** @description The event that was made for this endpoint. */
            eventId: string;
            /** @description Its delivery, within a second or so. */
            deliveryId: string;
        };
        /** @description A token. */
        Token: {
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            address: string;
            /** @description For display only: tokens are named by address. */
            symbol: string;
            /** @description Used to render human-readable amounts. */
            decimals: number;
        };
        /** @description Money that is not where the plan wants it. Somebody has to look at it. */
        Unallocated: {
            /** @description The movement that brought it. */
            movementId?: string;
            /** @description In the asset's smallest units. */
            amount: string;
            asset: components["schemas"]["Asset"];
            /**
             * @description IN: it is there, and nobody asked for it; with LEFT_AT_CLOSE it was there when somebody ended the plan. OUT: it was spent, and no arrival of it is recorded; it counts as negative.
             * @enum {string}
             */
            direction: "IN" | "OUT" | Other;
            /**
             * @description IN: a deposit above the amount, after the swap, after the end, in another token or in native currency. Also a swap that was executed twice, and money that was there when somebody ended the plan. OUT: a swap without a recorded deposit, a payout without a recorded swap, or of more than was due.
             * @enum {string}
             */
            reason: "ABOVE_AMOUNT" | "AFTER_SWAP" | "AFTER_END" | "LEFT_AT_CLOSE" | "OTHER_TOKEN" | "SECOND_EXECUTION" | "SWAP_WITHOUT_DEPOSIT" | "PAID_WITHOUT_SWAP" | "PAID_ABOVE_DUE" | Other;
            /** @description Whether it was there when somebody ended the plan, and so counts as known. */
            acknowledged: boolean;
        };
        /** @description The members of a GivenRecipient, as far as they are known. They may be wrong. */
        UncheckedRecipient: {
            /**
             * @description The kind of recipient.
             * @enum {string}
             */
            type: "bank" | "wallet" | "emoney" | "email";
        } & {
            [key: string]: unknown;
        };
        /** @description What is to be said of details. */
        Validation: {
            /** @description Whether POST /v1/recipients, or a payment on the corridor, takes it. */
            valid: boolean;
            /** @description Everything that is wrong. Values are never repeated. */
            errors: components["schemas"]["FieldError"][];
            warnings: components["schemas"]["RecipientWarning"][];
            /** @description The details as they would be kept, masked; null where they are not valid. */
            recipient: components["schemas"]["RecipientView"] | null;
        };
        /** @description Details to look at. Nothing is kept. */
        ValidationRequest: {
            recipient: components["schemas"]["UncheckedRecipient"];
            /** @description The corridor that is to pay it. Absent: any corridor of this deployment. */
            corridorId?: string;
        };
        /** @description An attempt. Only the status of the answer is kept. */
        WebhookAttempt: {
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            at: string;
            /** @description The status that the receiver answered. */
            status?: number;
            /** @description Why there is no status, as a word. */
            error?: string;
            durationMs: number;
        };
        /** @description An event for an endpoint. */
        WebhookDelivery: {
            /** @description Unique within its endpoint. */
            deliveryId: string;
            /** @description Unique identifier of a webhook endpoint. */
            endpointId: string;
            /** @description Unique identifier of an event. */
            eventId: string;
            /** @description The type of the event. */
            type: string;
            /**
             * @description PENDING: an attempt is due or under way. DELIVERED: the receiver answered 2xx. FAILED: the last attempt failed too. CANCELLED: the endpoint was disabled before.
             * @enum {string}
             */
            status: "PENDING" | "DELIVERED" | "FAILED" | "CANCELLED" | Other;
            /** @description The newest 20, oldest first. */
            attempts: components["schemas"]["WebhookAttempt"][];
            /**
             * Format: date-time
             * @description When the next attempt is due.
             */
            nextAttemptAt?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            createdAt: string;
        };
        WebhookDeliveryList: {
            /** @description Newest event first. */
            data: components["schemas"]["WebhookDelivery"][];
            /** @description Present when there are more. */
            nextCursor?: string;
        };
        /** @description A URL that is told of events. */
        WebhookEndpoint: {
            /** @description Unique identifier of a webhook endpoint. */
            endpointId: string;
            /** @description Where events are sent. */
            url: string;
            /** @description Which events are sent; * is all. */
            types: string[];
            description?: string;
            clientReference?: string;
            /** @description The headers that are sent along. */
            headerNames: string[];
            /** @description Whether the service shows a client certificate. */
            hasClientCertificate: boolean;
            /**
             * @description DISABLED: nothing is sent.
             * @enum {string}
             */
            status: "ENABLED" | "DISABLED" | Other;
            /**
             * @description GONE: the receiver answered 410. FAILING: no attempt had succeeded for five days. DELETED: it was deleted.
             * @enum {string}
             */
            disabledReason?: "GONE" | "FAILING" | "DELETED" | Other;
            /**
             * Format: date-time
             * @description When the first attempt after the last success failed.
             */
            failingSince?: string;
            /** @description What events are signed with: whsec_ and 32 bytes in base64. Shown once, when it is made. */
            secret?: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            updatedAt: string;
        };
        /** @description What is to be changed. A member that is left out stays. */
        WebhookEndpointEdit: {
            /** @description Where events are sent: https, a public host, port 443 or from 1024 on, no credentials and no fragment. The built-in sandbox also takes http to this machine. */
            url?: string;
            /** @description Which events are sent. payment_plan.* is every type that begins so. Default: all. */
            types?: string[];
            description?: string | null;
            /** @description All headers anew. They are needed with a URL of another host, if there were any; {} takes them away. */
            headers?: {
                [key: string]: string;
            };
            /** @description Another one, or null for none. It is needed with a URL of another host, if there was one. */
            clientCertificate?: {
                /** @description The certificate and its chain, in PEM form. */
                cert: string;
                /** @description Its private key in PEM form, without a passphrase. */
                key: string;
            } | null;
        };
        /** @description An event of a webhook endpoint. */
        WebhookEndpointEvent: {
            /** @description The same for every delivery of this event. */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 date-time with a time zone (RFC 3339).
             */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            /**
             * @description Where it happened.
             * @enum {string}
             */
            environment: "sandbox" | "production" | Other;
            /** @description Counts the events of the subject. Drop an event whose number is not greater than the last one that you have seen of its subject. Then you end with the newest state, in any order of events. */
            sequence: number;
            /** @description The step, for events of steps. */
            stepId?: string;
            evidence?: components["schemas"]["EventEvidence"];
            /**
             * @description What happened.
             * @enum {string}
             */
            type: "webhook_endpoint.updated" | "webhook_endpoint.failing" | "webhook_endpoint.recovered" | "webhook_endpoint.disabled" | "webhook_endpoint.test";
            subject: {
                /** @constant */
                type: "webhook_endpoint";
                id: string;
            };
            data: {
                object: components["schemas"]["WebhookEndpoint"];
                /** @description The members of the object that changed, as they were before. */
                previous?: {
                    [key: string]: unknown;
                };
            };
        };
        WebhookEndpointList: {
            /** @description All of the organisation, newest first. */
            data: components["schemas"]["WebhookEndpoint"][];
            /** @description Always absent: the endpoints are one page. */
            nextCursor?: string;
        };
        /** @description A URL that is told of events. */
        WebhookEndpointRequest: {
            /** @description Where events are sent: https, a public host, port 443 or from 1024 on, no credentials and no fragment. The built-in sandbox also takes http to this machine. */
            url: string;
            /** @description Which events are sent. payment_plan.* is every type that begins so. Default: all. */
            types?: string[];
            /** @description A text of your own. Stored in clear. */
            description?: string;
            /** @description At most 20 headers to send along, such as authorization. Their values are sealed and never shown again. */
            headers?: {
                [key: string]: string;
            };
            /** @description With what the service proves itself to the receiver (mutual TLS). It is sealed and never shown again. */
            clientCertificate?: {
                /** @description The certificate and its chain, in PEM form. */
                cert: string;
                /** @description Its private key in PEM form, without a passphrase. */
                key: string;
            };
            /** @description Your own id of the endpoint: the same request with it is carried out once. Stored in clear. */
            clientReference?: string;
        };
        WebhookRecovery: {
            /**
             * Format: date-time
             * @description Events that happened then or later.
             */
            since: string;
            /**
             * Format: date-time
             * @description Events that happened before. Default: now.
             */
            until?: string;
            /** @description Only these types of the endpoint. */
            types?: string[];
            /**
             * @description UNDELIVERED: events that were not delivered, also those without any delivery. ALL: everything again.
             * @enum {string}
             */
            only?: "UNDELIVERED" | "ALL";
        };
        WebhookSecretRotation: {
            /** @description For how long events are signed with the former secret too, as an ISO 8601 duration of at most seven days. Default: P1D. PT0S: not at all. */
            overlap?: string;
        };
        /** @description The holder of a bank account. */
        BankRecipient: {
            /**
             * @description A bank account. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "bank";
            /** @description The full name. */
            name: string;
            /** @description ISO 3166-1 alpha-2: the country that the corridor pays to. */
            country: string;
            account: components["schemas"]["BankAccountDetails"];
        };
        /** @description The owner of a wallet. */
        WalletRecipient: {
            /**
             * @description A wallet. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "wallet";
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            address: string;
            /** @description The full name. */
            name?: string;
            /** @description Who holds the key of the wallet. Absent: nobody has said. */
            custody?: {
                /**
                 * @description SELF_HOSTED: its owner. VASP: a provider of services with virtual assets.
                 * @enum {string}
                 */
                kind: "SELF_HOSTED" | "VASP";
                /** @description With VASP: the name of the provider. */
                vasp?: string;
            };
        };
        /** @description The holder of an eMoney wallet. */
        EmoneyRecipient: {
            /**
             * @description An eMoney wallet. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "emoney";
            /** @description The full name. */
            name: string;
            /** @description The eMoney provider's name. */
            provider: string;
            /**
             * @description What the provider knows the wallet by.
             * @enum {string}
             */
            idType: "PHONE" | "EMAIL" | "ACCOUNT_ID";
            /** @description The phone number with + and country code, the email address or the account id. */
            idValue: string;
            /** @description ISO 4217: the currency that the corridor pays out. */
            currency: string;
        };
        /** @description A person who is asked by email where to be paid. */
        EmailRecipient: {
            /**
             * @description A person who is asked by email where to be paid. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "email";
            /** @description One email address without a display name. */
            email: string;
            /** @description The full name. */
            name?: string;
            /** @description Language of the email. */
            locale?: string;
        };
        /** @description A recipient that is registered. The plan takes the version that it has now, and keeps it. */
        RegisteredRecipientReference: {
            /**
             * @description One of POST /v1/recipients. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "saved";
            /** @description Its id. */
            recipientId: string;
        };
        /** @description A bank account and its holder, masked. */
        BankRecipientView: {
            /**
             * @description A bank account. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "bank";
            /** @description Initials; a * where an initial would say the whole name. */
            name: string;
            /** @description ISO 3166-1 alpha-2. */
            country: string;
            account: {
                /** @description The end of the account number, IBAN or CLABE: four characters, two where it has fewer than eight. */
                accountNumberLast4: string;
            };
            /** @description Equal for equal details within one organisation; says nothing about them. */
            fingerprint: string;
        };
        /** @description A wallet and its owner, masked. */
        WalletRecipientView: {
            /**
             * @description A wallet. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "wallet";
            /**
             * Format: uint64
             * @description EIP-155 chain id, written in plain decimal digits (uint64).
             */
            chainId: number;
            /** @description EVM address. Any letter case is accepted; a mixed-case address must have a right EIP-55 checksum. Addresses that the service originates are EIP-55. */
            address: string;
            /** @description Initials; a * where an initial would say the whole name. */
            name?: string;
            /** @description Who holds the key of the wallet, as the payer said. Absent: nobody has said. */
            custody?: {
                /**
                 * @description SELF_HOSTED: its owner. VASP: a provider of services with virtual assets.
                 * @enum {string}
                 */
                kind: "SELF_HOSTED" | "VASP" | Other;
                /** @description The name of the provider. */
                vasp?: string;
            };
            /** @description Equal for equal details within one organisation; says nothing about them. */
            fingerprint: string;
        };
        /** @description An eMoney wallet and its holder, masked. */
        EmoneyRecipientView: {
            /**
             * @description An eMoney wallet. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "emoney";
            /** @description Initials; a * where an initial would say the whole name. */
            name: string;
            /** @description The eMoney provider's name. */
            provider: string;
            /**
             * @description What idValueLast4 is the end of.
             * @enum {string}
             */
            idType: "PHONE" | "EMAIL" | "ACCOUNT_ID" | Other;
            /** @description The end of the identifier: four characters, two where it has fewer than eight. */
            idValueLast4: string;
            /** @description ISO 4217 code. */
            currency: string;
            /** @description Equal for equal details within one organisation; says nothing about them. */
            fingerprint: string;
        };
        /** @description A person who is asked by email, masked. */
        EmailRecipientView: {
            /**
             * @description A person who is asked by email. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "email";
            /** @description First letter and domain; no letter where there are fewer than three. */
            email: string;
            /** @description Initials; a * where an initial would say the whole name. */
            name?: string;
            /** @description Language tag. */
            locale?: string;
            /** @description Equal for equal details within one organisation; says nothing about them. */
            fingerprint: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listChains: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer. While it is still right, the answer is 304 without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Chain"][];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description EIP-155 chain id, written in plain decimal digits (uint64). */
                chainId?: number;
            };
            header?: {
                /** @description The ETag of an earlier answer. While it is still right, the answer is 304 without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketToken"][];
                };
            };
        };
    };
    listRouters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Router"][];
                };
            };
        };
    };
    listCorridors: {
        parameters: {
            query?: {
                /** @description all: suspended corridors too. Absent: those that take plans. */
                status?: "all";
            };
            header?: {
                /** @description The ETag of an earlier answer. While it is still right, the answer is 304 without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Corridor"][];
                };
            };
        };
    };
    getRequirements: {
        parameters: {
            query?: {
                /** @description The kind of recipient. May be absent where the corridor takes one kind alone. */
                recipientType?: "bank" | "wallet" | "emoney" | "email";
            };
            header?: never;
            path: {
                /** @description The id of a corridor. */
                corridorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecipientRequirements"];
                };
            };
        };
    };
    getQuote: {
        parameters: {
            query: {
                /** @description EIP-155 chain id, written in plain decimal digits (uint64). */
                chainId: number;
                /** @description The token to pay with. Native currency is 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address. */
                tokenIn: string;
                /** @description The token to get. Native currency is 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE or the zero address. */
                tokenOut: string;
                /** @description EXACT_IN: the given amount is the exact input and the response gives the output. EXACT_OUT: the given amount is the exact output and the response gives the required input. */
                tradeType: "EXACT_IN" | "EXACT_OUT";
                /** @description Amount in the smallest unit of the token (wei for native value), as a string of decimal digits without leading zeros, at most 2^256-1. Never a floating-point number. */
                amount: string;
                /** @description Accepted slippage in basis points (hundredths of a percent), 0 to 5000. Absent: 50, which is 0.5 %. */
                slippageBps?: components["schemas"]["SlippageBps"];
                /** @description Sources that may not be used, separated by commas. */
                excludeSources?: string;
                /** @description Tokens that no path may pass on its way, separated by commas; each once, at most 32. tokenIn and tokenOut cannot be among them. */
                excludeTokens?: string;
                /** @description Pools that may not be used, separated by commas; each once, at most 32. */
                excludePools?: string;
                /** @description The most pools one path may pass through. */
                maxHops?: components["schemas"]["MaxHops"];
                /** @description The most paths the trade may be split over. */
                maxSplits?: components["schemas"]["MaxSplits"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
        };
    };
    planSwap: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SwapPlanRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SwapPlan"];
                };
            };
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description IN_PROGRESS: it goes on by itself. ACTION_REQUIRED: somebody has to act, as next says. RETURNED: the payment came back. ENDED: as ended says. */
                status?: "IN_PROGRESS" | "ACTION_REQUIRED" | "COMPLETED" | "RETURNED" | "ENDED";
                /** @description STANDARD: to the recipient that the request names. DIGITAL_COLLECT: the recipient is e-mailed a link and chooses. */
                mode?: "STANDARD" | "DIGITAL_COLLECT";
                corridorId?: string;
                clientReference?: string;
                /** @description Plans that pay this registered recipient, in any of its versions. */
                recipientId?: string;
                /** @description Plans that wait for the approval of a second person. */
                approval?: "PENDING";
                /** @description Plans made at this time or later. */
                createdFrom?: string;
                /** @description Plans made before this time. */
                createdTo?: string;
                /** @description Plans that have changed at this time or later, the one first that has not changed for longest. Not together with other filters. GET /v1/events tells every change. */
                updatedSince?: string;
                /** @description What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds. */
                expand?: string;
                /** @description The most plans on a page. A page of 256 KiB ends earlier; nextCursor continues it. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentList"];
                };
            };
        };
    };
    createPayment: {
        parameters: {
            query?: {
                /** @description What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds. */
                expand?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPlan"];
                };
            };
        };
    };
    getPayment: {
        parameters: {
            query?: {
                /** @description What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds. */
                expand?: string;
            };
            header?: never;
            path: {
                /** @description A planId. */
                planId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPlan"];
                };
            };
        };
    };
    listPaymentEvents: {
        parameters: {
            query?: {
                /** @description The most events on a page. A page of 256 KiB ends earlier; nextCursor continues it. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description A planId. */
                planId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentEventList"];
                };
            };
        };
    };
    listMovements: {
        parameters: {
            query?: {
                /** @description The most movements on a page. A page of 256 KiB ends earlier; nextCursor continues it. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description A planId. */
                planId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovementList"];
                };
            };
        };
    };
    approvePayment: {
        parameters: {
            query?: {
                /** @description What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds. */
                expand?: string;
            };
            header?: {
                /** @description The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before. */
                "If-Match"?: string;
            };
            path: {
                /** @description A planId. */
                planId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentApprovalRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPlan"];
                };
            };
        };
    };
    endPayment: {
        parameters: {
            query?: {
                /** @description What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds. */
                expand?: string;
            };
            header: {
                /** @description The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before. */
                "If-Match": string;
            };
            path: {
                /** @description A planId. */
                planId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EndRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPlan"];
                };
            };
        };
    };
    recordRefund: {
        parameters: {
            query?: {
                /** @description What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds. */
                expand?: string;
            };
            header?: {
                /** @description The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before. */
                "If-Match"?: string;
            };
            path: {
                /** @description A planId. */
                planId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefundReport"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPlan"];
                };
            };
        };
    };
    againPayment: {
        parameters: {
            query?: {
                /** @description What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds. */
                expand?: string;
            };
            header?: {
                /** @description The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before. */
                "If-Match"?: string;
            };
            path: {
                /** @description A planId. */
                planId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AgainRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPlan"];
                };
            };
        };
    };
    revealRecipient: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before. */
                "If-Match"?: string;
            };
            path: {
                /** @description A planId. */
                planId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevealedRecipient"];
                };
            };
        };
    };
    reportStep: {
        parameters: {
            query?: {
                /** @description What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds. */
                expand?: string;
            };
            header?: {
                /** @description The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before. */
                "If-Match"?: string;
            };
            path: {
                /** @description A planId. */
                planId: string;
                /** @description A stepId of the plan. */
                stepId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StepReport"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPlan"];
                };
            };
        };
    };
    listCollectRequests: {
        parameters: {
            query?: {
                /** @description WAITING until the mail server has accepted the e-mail, then SENT, OPENED and SUBMITTED. EXPIRED or CANCELLED when nothing was chosen. DELIVERED, FAILED or RETURNED once the payment has come so far. */
                status?: "WAITING" | "SENT" | "OPENED" | "SUBMITTED" | "DELIVERED" | "FAILED" | "RETURNED" | "EXPIRED" | "CANCELLED";
                planId?: string;
                /** @description The registered recipient that the plan was made of. */
                recipientId?: string;
                /** @description The address that the newest link of the round went to, whatever name and language it had. Compared by a keyed fingerprint; URLs end up in the logs of proxies, so ask by planId where you can. */
                email?: string;
                /** @description Included. */
                createdFrom?: string;
                /** @description Not included. */
                createdTo?: string;
                /** @description The most collect requests on a page. A page of 256 KiB ends earlier; nextCursor continues it. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectRequestList"];
                };
            };
        };
    };
    getCollectRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collectRequestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectRequest"];
                };
            };
        };
    };
    listRecipients: {
        parameters: {
            query?: {
                /** @description ACTIVE: new plans can name it. PENDING_APPROVAL: none can until another credential has approved the present details. REJECTED: none can, as its details were rejected; new ones may follow. DEACTIVATED: none can, and that is for ever. ERASED: none can, and the full details are destroyed. */
                status?: "ACTIVE" | "PENDING_APPROVAL" | "REJECTED" | "DEACTIVATED" | "ERASED";
                /** @description The kind of recipient. It never changes. */
                type?: "bank" | "wallet" | "emoney" | "email";
                /** @description For bank accounts: ISO 3166-1 alpha-2, upper case. */
                country?: string;
                clientReference?: string;
                /** @description A part of label or clientReference, in any letter case. Details are not searched. */
                q?: string;
                /** @description The most recipients on a page. A page of 256 KiB ends earlier; nextCursor continues it. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredRecipientList"];
                };
            };
        };
    };
    createRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecipientRequest"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredRecipient"];
                };
            };
        };
    };
    validateRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ValidationRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
        };
    };
    getRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredRecipient"];
                };
            };
        };
    };
    deactivateRecipient: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before. */
                "If-Match"?: string;
            };
            path: {
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredRecipient"];
                };
            };
        };
    };
    changeRecipient: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before. */
                "If-Match"?: string;
            };
            path: {
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecipientEdit"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredRecipient"];
                };
            };
        };
    };
    listRecipientVersions: {
        parameters: {
            query?: {
                /** @description The most versions on a page. A page of 256 KiB ends earlier; nextCursor continues it. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecipientVersionList"];
                };
            };
        };
    };
    eraseRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredRecipient"];
                };
            };
        };
    };
    revealRegisteredRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevealedRegisteredRecipient"];
                };
            };
        };
    };
    approveRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecipientJudgement"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredRecipient"];
                };
            };
        };
    };
    rejectRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecipientJudgement"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredRecipient"];
                };
            };
        };
    };
    verifyRecipient: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before. */
                "If-Match"?: string;
            };
            path: {
                recipientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayeeCheckRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredRecipient"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description nextCursor of the page before, the id of an event, or now for what happens from now on. Absent: from the oldest event that is kept. */
                after?: string;
                /** @description Types, separated by commas. payment_plan.* is every type that begins so. */
                type?: string;
                /** @description The id of a plan, a collect request, a registered recipient, a webhook endpoint, a report, a statement, an entry of a statement, or a credential. The word service stands for events of the whole service. */
                subject?: string;
                /** @description The most events on a page. A page of 256 KiB ends earlier; nextCursor continues it. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query: {
                /** @description nextCursor of the page before, the id of an event, or now for what happens from now on. Absent: from the oldest event that is kept. */
                after: string;
                /** @description Types, separated by commas. payment_plan.* is every type that begins so. */
                type?: string;
                /** @description The id of a plan, a collect request, a registered recipient, a webhook endpoint, a report, a statement, an entry of a statement, or a credential. The word service stands for events of the whole service. */
                subject?: string;
                /** @description true: also events that POST /v1/events/{eventId}/resend without endpointId asks for again while the stream is open. They come as event: resent, without an id. */
                resends?: boolean;
            };
            header?: {
                /** @description The id that came last: what follows it is sent. It comes before after. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointList"];
                };
            };
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of a webhook endpoint. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of a webhook endpoint. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    changeWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of a webhook endpoint. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointEdit"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of a webhook endpoint. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookSecretRotation"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    enableWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of a webhook endpoint. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of a webhook endpoint. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestedWebhookEndpoint"];
                };
            };
        };
    };
    recoverWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of a webhook endpoint. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRecovery"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveredEvents"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Only those that stand so. */
                status?: "PENDING" | "DELIVERED" | "FAILED" | "CANCELLED";
                /** @description The most deliveries on a page. A page of 256 KiB ends earlier; nextCursor continues it. */
                limit?: number;
                /** @description nextCursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Unique identifier of a webhook endpoint. */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of a webhook endpoint. */
                endpointId: string;
                /** @description Identifier of a delivery of the endpoint. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    resendEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of an event. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EventResend"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResentDeliveries"];
                };
            };
        };
    };
    listReports: {
        parameters: {
            query?: {
                /** @description The most reports on a page. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportList"];
                };
            };
        };
    };
    createReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportRequest"];
            };
        };
        responses: {
            /** @description Success. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
        };
    };
    downloadReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": {
                        [key: string]: string | number | boolean | null;
                    }[];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": unknown;
                    "application/xml": string;
                };
            };
        };
    };
    getStatementMap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementMap"];
                };
            };
        };
    };
    keepStatementMap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatementColumnMap"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementMap"];
                };
            };
        };
    };
    suggestStatementMap: {
        parameters: {
            query?: {
                /** @description The account that the file is of, if its rows do not say. */
                account?: string;
                /** @description Its currency (ISO 4217), if its rows do not say. */
                currency?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MapSuggestion"];
                };
            };
        };
    };
    listStatementMaps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementMapList"];
                };
            };
        };
    };
    listStatements: {
        parameters: {
            query?: {
                /** @description The most items on a page. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementList"];
                };
            };
        };
    };
    importStatement: {
        parameters: {
            query?: {
                /** @description The column map of a CSV file. In multipart/form-data it can be a field of this name. */
                map?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/xml": components["schemas"]["StatementFile"];
                "text/csv": components["schemas"]["StatementFile"];
                "text/plain": components["schemas"]["StatementFile"];
                "multipart/form-data": components["schemas"]["StatementForm"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                };
            };
        };
    };
    getStatement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                statementId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                };
            };
        };
    };
    listStatementEntries: {
        parameters: {
            query?: {
                /** @description The entries that stand so. */
                status?: "OPEN" | "TENTATIVE" | "PARTLY_MATCHED" | "MATCHED" | "IGNORED";
                /** @description The most items on a page. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                statementId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementEntryList"];
                };
            };
        };
    };
    listStatementDifferences: {
        parameters: {
            query?: {
                /** @description The most items on a page. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                statementId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementDifferenceList"];
                };
            };
        };
    };
    getEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementEntry"];
                };
            };
        };
    };
    matchEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entryId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryMatch"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementEntry"];
                };
            };
        };
    };
    unmatchEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entryId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementEntry"];
                };
            };
        };
    };
    ignoreEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entryId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryIgnore"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementEntry"];
                };
            };
        };
    };
    getMailbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mailbox"];
                };
            };
        };
    };
    simulateStep: {
        parameters: {
            query?: {
                /** @description What to show beside, separated by commas. executions: how each step was executed and paid, with options and returns. rounds: how the recipient was asked. custody: all of custodianAction, and funds. */
                expand?: string;
            };
            header?: never;
            path: {
                /** @description A planId. */
                planId: string;
                /** @description A stepId of the plan. */
                stepId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulateRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPlan"];
                };
            };
        };
    };
    getSandbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sandbox"];
                };
            };
        };
    };
    advanceClock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClockRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClockAnswer"];
                };
            };
        };
    };
    useFaucet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FaucetRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaucetAnswer"];
                };
            };
        };
    };
}
