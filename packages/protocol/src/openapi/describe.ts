import * as z from 'zod';
import { type AnyErrorCode, errorEntry } from '../errors.ts';
import type * as declared from '../operation.ts';
import type { JsonSchema, Operation, Parameter } from './openapi-types.ts';

/** An operation of customers or of staff: its declaration, and what follows from who may call it. */
export interface Described {
  readonly operationId: string;
  /** Below `/api/`. */
  readonly path: string;
  readonly operation: declared.Operation<AnyErrorCode>;
  readonly codes: readonly AnyErrorCode[];
  readonly description: string;
  readonly security: readonly object[];
  readonly headers: readonly Parameter[];
  /** Media types of its body. */
  readonly forms: readonly string[];
  /** Media types of a file that it answers instead of an envelope. */
  readonly files: readonly string[];
  readonly 'x-roles'?: unknown;
}

export const FORMS = ['application/x-www-form-urlencoded', 'application/json'] as const;

export const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,64}$' },
  example: '5f0c2e1a9b7d4c3e',
} as const;

type Schemas = Record<string, JsonSchema>;
type Codes = readonly AnyErrorCode[];

/** The paths of operations with the schemas and responses that they refer to. */
export function describe(all: readonly Described[]) {
  const schemas: Schemas = {};
  const schemaOf = (type: z.ZodType, io: 'input' | 'output') => hoist(jsonSchema(type, io), schemas);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const one of all) {
    const { input, data, method } = one.operation;
    const form = schemaOf(input, 'input');
    if (method === 'POST') schemas[formName(one)] = form;
    const made = operationOf(one, form, schemaOf(data, 'output'));
    paths[`/api/${one.path}`] = { [method.toLowerCase()]: made };
  }
  return { paths, schemas, schemaOf, responses: sharedResponses(all) };
}

const formName = ({ operationId }: Described): string => `${operationId}Form`;

function operationOf(described: Described, form: JsonSchema, data: JsonSchema): Operation {
  const { operationId, path, operation, codes, description, security, headers, files } = described;
  const roles = described['x-roles'];
  const isQuery = operation.method === 'GET';
  const refused = refusal(codes.filter((code) => errorEntry(code).http === 200));
  const responses: Record<string, object> = {
    200: files.length > 0 ? fileAnswer(files, refused) : answer(data, refused),
  };
  for (const [http, same] of byStatus(codes)) {
    if (http === 200) continue;
    responses[http] = same.length === 1 ? { $ref: `#/components/responses/${same[0]}` } : refusalAnswer(same);
  }
  return {
    operationId,
    tags: [path.split('/')[0] as string],
    summary: operation.summary,
    ...(description === '' ? {} : { description }),
    ...(roles === undefined ? {} : { 'x-roles': roles }),
    security,
    parameters: [...(isQuery ? queryOf(form) : []), ...headers],
    ...(isQuery ? {} : { requestBody: bodyOf(described, form) }),
    responses,
  };
}

function queryOf({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, { description, example, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
    schema,
  }));
}

function bodyOf(described: Described, { required = [] }: JsonSchema): NonNullable<Operation['requestBody']> {
  const schema = { $ref: `#/components/schemas/${formName(described)}` };
  return {
    required: required.length > 0,
    content: Object.fromEntries(described.forms.map((type) => [type, { schema }])),
  };
}

/** The file itself, or an envelope with a refusal. */
function fileAnswer(files: readonly string[], refused: JsonSchema): object {
  const schema = { type: 'string', format: 'binary' };
  return {
    description: 'The file, or refused.',
    content: {
      ...Object.fromEntries(files.map((type) => [type, { schema }])),
      'application/json': { schema: refused },
    },
  };
}

/** Done, with data; or refused, with one of the operation's codes. */
function answer(data: JsonSchema, refused: JsonSchema): object {
  const done: JsonSchema = {
    type: 'object',
    title: 'Done',
    properties: { code: { const: 1 }, msg: { type: 'string' }, data },
    required: ['code', 'msg', 'data'],
    additionalProperties: false,
  };
  return {
    description: 'Done, or refused.',
    content: { 'application/json': { schema: { oneOf: [done, refused] } } },
  };
}

function refusal(codes: Codes, code = 0): JsonSchema {
  return {
    type: 'object',
    title: 'Refused',
    properties: {
      code: { const: code },
      msg: { type: 'string', description: 'A sentence for the user.' },
      data: { type: 'null' },
      error: { type: 'string', enum: codes },
      fields: {
        type: 'object',
        description: 'The message of each form field at fault.',
        additionalProperties: { type: 'string' },
      },
      ...(code === 500 ? { requestId: { type: 'string' } } : {}),
    },
    required: ['code', 'msg', 'data', 'error', ...(code === 500 ? ['requestId'] : [])],
    additionalProperties: false,
  };
}

const byStatus = (codes: Codes) => Map.groupBy(codes, (code) => errorEntry(code).http);

/** The HTTP-level refusals that are alone under their status somewhere, one response per code. */
function sharedResponses(all: readonly Described[]): Record<string, object> {
  const alone = all.flatMap(({ codes }) =>
    [...byStatus(codes)].flatMap(([http, same]) => (http !== 200 && same.length === 1 ? same : [])),
  );
  return Object.fromEntries([...new Set(alone)].map((code) => [code, refusalAnswer([code])]));
}

/** A response with one of these codes, all of one status. */
function refusalAnswer(codes: Codes): object {
  const { http } = errorEntry(codes[0] as AnyErrorCode);
  const envelope = http === 401 || http === 500 ? http : 0;
  const waits = http === 429 || http === 503;
  const headers = {
    'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } },
  };
  return {
    description: codes.map((code) => errorEntry(code).en).join('. '),
    ...(waits ? { headers } : {}),
    content: { 'application/json': { schema: refusal(codes, envelope) } },
  };
}

function jsonSchema(type: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const schema = z.toJSONSchema(type, {
    io,
    // Pictures: their meta describes them.
    unrepresentable: 'any',
    override: ({ jsonSchema: made }) => {
      // The safe-integer bounds that zod adds to every integer say nothing about the field.
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
    },
  });
  const { $schema: _dialect, ...rest } = schema as JsonSchema & { $schema?: string };
  return rest;
}

/** Moves named schemas to the document's components, and replaces them by references. */
function hoist(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs = {}, ...rest } = JSON.parse(text) as JsonSchema & {
    readonly $defs?: Record<string, JsonSchema>;
  };
  for (const [name, definition] of Object.entries($defs)) {
    const { id: _id, ...named } = definition;
    schemas[name] ??= named;
  }
  const { id, ...unnamed } = rest;
  if (typeof id !== 'string') return rest;
  schemas[id] ??= unnamed;
  return { $ref: `#/components/schemas/${id}` };
}
