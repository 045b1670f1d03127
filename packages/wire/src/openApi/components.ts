import type { TSchema } from 'typebox';
import { CollectRequest, CollectRequestList } from '../collectRequests.ts';
import { Credential } from '../credentials.ts';
import { EventEvidence } from '../events.ts';
import { AnyEvent, EventList, EVENTS_OF } from '../eventSchemas.ts';
import { EmptyRequest, MaxHops, MaxSplits, SlippageBps } from '../fields.ts';
import {
  BankAccountDetails,
  GIVEN_VARIANTS,
  GivenRecipient,
  PaymentRecipient,
  UncheckedRecipient,
} from '../givenRecipient.ts';
import { ChainHealth, Health, ProbeAnswer } from '../health.ts';
import { Chain, Corridor, MarketToken, Requirements, Router, Token } from '../markets.ts';
import { Asset, AssetFunds, Money, MoneyToken, Movement, MovementList, Unallocated } from '../money.ts';
import { Next, PlanMoney } from '../next.ts';
import { ApprovalRequest } from '../paymentApproval.ts';
import { PaymentEvent, PaymentEventList } from '../paymentHistory.ts';
import {
  AgainRequest,
  EndRequest,
  PaymentRequest,
  RefundReport,
  SimulateRequest,
  StepReport,
} from '../paymentRequests.ts';
import {
  Attempt,
  Collect,
  CollectDelivery,
  CollectLinkView,
  CustodianAction,
  Deposit,
  Evidence,
  PaymentList,
  PaymentPlan,
  PaymentReturn,
  PaymentStep,
  PlanOptions,
} from '../payments.ts';
import { FieldError } from '../problem.ts';
import { Problem, ProblemCodeWord } from '../problemBody.ts';
import { AsOf, Fees, Quote, Route, RouteLeg, RoutePath } from '../quote.ts';
import { RecipientView, RevealedRecipient, VIEW_VARIANTS } from '../recipients.ts';
import { Report, ReportList, ReportRequest } from '../reports.ts';
import { ClockAnswer, ClockRequest, FaucetAnswer, FaucetRequest, Mailbox, Sandbox } from '../sandbox.ts';
import {
  JudgedVersion,
  PayeeCheck,
  PayeeCheckRequest,
  RecipientEdit,
  RecipientRequest,
  RecipientVersion,
  RecipientVersionList,
  RecipientWarning,
  RevealedRegistered,
  RegisteredRecipient,
  RegisteredRecipientList,
  Validation,
  ValidationRequest,
} from '../registeredRecipients.ts';
import { ColumnMap, StatementMap, StatementMapList, MapSuggestion } from '../statementMaps.ts';
import {
  IgnoreRequest,
  MatchRequest,
  Statement,
  StatementDifference,
  StatementDifferenceList,
  StatementEntry,
  StatementEntryList,
  StatementFile,
  StatementForm,
  StatementList,
  StatementMovement,
} from '../statements.ts';
import { Instruction, Simulation, SwapIssues, SwapPlan, SwapPlanRequest } from '../swap.ts';
import { SCHEMAS_PLACE } from '../taggedUnion.ts';
import {
  EndpointEdit,
  EndpointRequest,
  RecoveredEvents,
  RecoverRequest,
  ResendRequest,
  ResentDeliveries,
  RotateRequest,
  TestedEndpoint,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookEndpoint,
  WebhookEndpointList,
} from '../webhooks.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json };

/** The schemas that the OpenAPI document names. */
const COMPONENTS: Readonly<Record<string, TSchema>> = {
  AgainRequest,
  AsOf,
  Asset,
  AssetFunds,
  Attempt,
  BankAccountDetails,
  Chain,
  ChainHealth,
  ClockAnswer,
  ClockRequest,
  Collect,
  CollectDelivery,
  CollectLinkView,
  CollectRequest,
  CollectRequestEvent: EVENTS_OF.collect_request,
  CollectRequestList,
  Corridor,
  Credential,
  CredentialEvent: EVENTS_OF.credential,
  CustodianAction,
  Deposit,
  EmptyRequest,
  EndRequest,
  EntryIgnore: IgnoreRequest,
  EntryMatch: MatchRequest,
  Event: AnyEvent,
  EventEvidence,
  EventList,
  EventResend: ResendRequest,
  Evidence,
  FaucetAnswer,
  FaucetRequest,
  Fees,
  FieldError,
  GivenRecipient,
  Health,
  Instruction,
  Mailbox,
  MarketToken,
  Router,
  MoneyToken,
  MaxHops,
  MaxSplits,
  Money,
  Movement,
  MovementList,
  Next,
  PayeeCheck,
  PayeeCheckRequest,
  PaymentApprovalRequest: ApprovalRequest,
  PaymentEvent,
  PaymentEventList,
  PaymentList,
  PaymentPlan,
  PaymentPlanEvent: EVENTS_OF.payment_plan,
  PaymentRecipient,
  PaymentRequest,
  PaymentReturn,
  PaymentStep,
  PlanMoney,
  PlanOptions,
  ProbeAnswer,
  Problem,
  ProblemCode: ProblemCodeWord,
  Quote,
  RecipientEdit,
  RecipientEvent: EVENTS_OF.recipient,
  RecipientJudgement: JudgedVersion,
  RecipientRequest,
  RecipientRequirements: Requirements,
  RecipientVersion,
  RecipientVersionList,
  RecipientView,
  RecipientWarning,
  RecoveredEvents,
  RefundReport,
  Report,
  ReportEvent: EVENTS_OF.report,
  ReportList,
  ReportRequest,
  ResentDeliveries,
  RevealedRecipient,
  RevealedRegisteredRecipient: RevealedRegistered,
  Route,
  RouteLeg,
  RoutePath,
  Sandbox,
  RegisteredRecipient,
  RegisteredRecipientList,
  ServiceEvent: EVENTS_OF.service,
  SimulateRequest,
  Simulation,
  SlippageBps,
  Statement,
  StatementColumnMap: ColumnMap,
  StatementDifference,
  StatementDifferenceList,
  StatementEntry,
  StatementEntryEvent: EVENTS_OF.statement_entry,
  StatementEntryList,
  StatementEvent: EVENTS_OF.statement,
  StatementFile,
  StatementForm,
  StatementList,
  StatementMap,
  StatementMapList,
  MapSuggestion,
  StatementMovement,
  StepReport,
  SwapIssues,
  SwapPlan,
  SwapPlanRequest,
  TestedWebhookEndpoint: TestedEndpoint,
  Token,
  Unallocated,
  UncheckedRecipient,
  Validation,
  ValidationRequest,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookEndpoint,
  WebhookEndpointEdit: EndpointEdit,
  WebhookEndpointEvent: EVENTS_OF.webhook_endpoint,
  WebhookEndpointList,
  WebhookEndpointRequest: EndpointRequest,
  WebhookRecovery: RecoverRequest,
  WebhookSecretRotation: RotateRequest,
  ...GIVEN_VARIANTS,
  ...VIEW_VARIANTS,
};

const NAME_BY_SCHEMA = new Map(
  Object.entries(COMPONENTS).map(([name, schema]) => [JSON.stringify(schema), name] as const),
);

/** The same for objects and unions with another description. */
const NAME_BY_SHAPE = new Map(
  Object.entries(COMPONENTS)
    .filter(
      ([, schema]) => 'oneOf' in schema || 'anyOf' in schema || Object.keys(schemaMembers(schema)).length > 0,
    )
    .map(([name, schema]) => [shapeOf(toJson(schema)), name] as const),
);

/**
 * The named schemas, without those that nothing in `parts` leads to.
 */
export function componentSchemas(parts: readonly Json[]): JsonObject {
  const schemas = Object.fromEntries(
    Object.entries(COMPONENTS).map(([name, schema]) => [name, referenced(toJson(schema), name)]),
  );
  const used = referencedNames([...parts], schemas);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}

/** A schema as the document has it: by its name where it has one, else with the names of the schemas inside. */
export function namedSchema(schema: TSchema): Json {
  return referenced(toJson(schema));
}

/** The names of the schemas that a part of the document leads to. */
function referencedNames(part: Json, schemas: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (value: Json): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      collect(schemas[name] ?? null);
    }
  };
  collect(part);
  return names;
}

/** Copies a schema without the members that TypeBox alone reads. */
export function toJson(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}

/** Replaces every inner schema that is a component by a reference to it. */
function referenced(schema: Json, self?: string): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isList(schema)) return schema.map((item) => referenced(item));
  const name = NAME_BY_SCHEMA.get(JSON.stringify(schema));
  if (name !== undefined && name !== self) return { $ref: `${SCHEMAS_PLACE}${name}` };
  const alike = self === undefined ? NAME_BY_SHAPE.get(shapeOf(schema)) : undefined;
  if (alike !== undefined)
    return { $ref: `${SCHEMAS_PLACE}${alike}`, description: schema['description'] ?? '' };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, referenced(value)]));
}

/** What is left of a schema without its description, as text. */
function shapeOf(schema: Json): string {
  return JSON.stringify({ ...(schema as JsonObject), description: undefined });
}

function schemaMembers(schema: TSchema): object {
  return (schema as { readonly properties?: object }).properties ?? {};
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
