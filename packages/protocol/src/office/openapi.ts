import type { z } from 'zod';
import { type AnyErrorCode, ERRORS } from '../errors.ts';
import { fieldErrors } from '../openapi/documented-errors.ts';
import { hoist, type JsonSchema, jsonSchema } from '../openapi/openapi.ts';
import { OFFICE_ERRORS } from './errors.ts';
import type { OfficeOperation } from './operation.ts';
import { officeOperations } from './operations.ts';

const CATALOGUE = { ...ERRORS, ...OFFICE_ERRORS };

/** Refusals that any request to the back office may get. */
const ANY: readonly AnyErrorCode[] = [
  'MALFORMED_BODY',
  'BODY_TOO_LARGE',
  'UNKNOWN_FIELD',
  'INVALID_VALUE',
  'NOT_READY',
  'INTERNAL',
  'CROSS_SITE',
];

/** Every refusal that an operation can answer. */
export function officeErrorsOf(operation: OfficeOperation): readonly AnyErrorCode[] {
  const codes = new Set<AnyErrorCode>([...ANY, ...operation.errors, ...fieldErrors(operation.input)]);
  if (operation.method === 'POST') codes.add('MEDIA_TYPE');
  if (operation.moves) codes.add('INVALID_IDEMPOTENCY_KEY');
  if (operation.roles === 'public') return [...codes];
  codes.add('SESSION_EXPIRED');
  if (operation.method === 'POST') codes.add('TOO_MANY_REQUESTS');
  if (operation.roles !== 'anyone') codes.add('ROLE_MISSING');
  if (!operation.isSetUp) codes.add('PASSWORD_CHANGE_REQUIRED').add('FACTOR_SETUP_REQUIRED');
  if (operation.needsProof) codes.add('REAUTH_REQUIRED');
  return [...codes];
}

/** The back office's API as OpenAPI 3.1, made from its declared operations. Only staff may read it. */
export function officeDocument(): Readonly<Record<string, unknown>> {
  const schemas: Record<string, JsonSchema> = {};
  const schemaOf = (type: z.ZodType, io: 'input' | 'output') => hoist(jsonSchema(type, io), schemas);
  const operations = Object.entries<OfficeOperation>(officeOperations);
  const paths = Object.fromEntries(
    operations.map(([path, operation]) => [
      `/api/${path}`,
      {
        [operation.method.toLowerCase()]: operationOf(path, operation, {
          input: schemaOf(operation.input, 'input'),
          data: schemaOf(operation.data, 'output'),
        }),
      },
    ]),
  );
  const areas = [...new Set(operations.map(([path]) => areaOf(path)))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairtick Office',
      version: '1.0.0',
      description:
        'What staff ask for. Answers are the envelopes of the customers’ API. A request counts with the session’s cookie and the header x-office: 1, which no other site’s page can add.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The office’s own origin.' }],
    tags: areas.map((name) => ({ name, description: `Operations of ${name}` })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'office', description: 'Set by session/login.' },
      },
    },
  };
}

const areaOf = (path: string) => path.split('/')[0] as string;

function operationOf(
  path: string,
  operation: OfficeOperation,
  { input, data }: { input: JsonSchema; data: JsonSchema },
) {
  const { roles, method, summary, needsProof, isFile, moves } = operation;
  const codes = officeErrorsOf(operation);
  const isQuery = method === 'GET';
  return {
    operationId: path.replace('/', '_'),
    tags: [areaOf(path)],
    summary,
    'x-roles': roles,
    ...(needsProof
      ? {
          description:
            'Needs a proved session: a login or session/stepUp within the last 15 minutes. Else REAUTH_REQUIRED.',
        }
      : {}),
    security: roles === 'public' ? [{}] : [{ session: [] }],
    parameters: [
      ...(isQuery ? queryOf(input) : []),
      { name: 'x-office', in: 'header', required: true, schema: { const: '1' } },
      ...(moves ? [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }] : []),
    ],
    ...(isQuery
      ? {}
      : {
          requestBody: {
            required: (input.required ?? []).length > 0,
            content: {
              'application/x-www-form-urlencoded': { schema: input },
              'application/json': { schema: input },
            },
          },
        }),
    responses: responsesOf(codes, isFile ? null : data),
  };
}

function queryOf({ properties = {}, required = [] }: JsonSchema) {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

/** The responses: done, refused, and the HTTP-level refusals. `data` null: a file. */
function responsesOf(codes: readonly AnyErrorCode[], data: JsonSchema | null): Record<string, object> {
  const byStatus = Object.groupBy(codes, (code) => CATALOGUE[code].http);
  const responses: Record<string, object> = {};
  for (const [http, those = []] of Object.entries(byStatus)) {
    responses[http] = {
      description: 'Refused.',
      content: { 'application/json': { schema: refusal(those) } },
    };
  }
  const refused = refusal(byStatus[200] ?? [], { const: 0 });
  const json = data === null ? refused : { oneOf: [done(data), refused] };
  responses[200] = {
    description: 'Done, or refused.',
    content: {
      'application/json': { schema: json },
      ...(data === null ? { '*/*': { schema: { type: 'string', format: 'binary' } } } : {}),
    },
  };
  return responses;
}

const done = (data: JsonSchema) => ({
  type: 'object',
  title: 'Done',
  properties: { code: { const: 1 }, msg: { type: 'string' }, data },
  required: ['code', 'msg', 'data'],
});

/** `code` is 0 in a refusal with HTTP status 200; with other statuses it is the envelope's own. */
const refusal = (codes: readonly AnyErrorCode[], code: JsonSchema = { type: 'integer' }) => ({
  type: 'object',
  title: 'Refused',
  properties: {
    code,
    msg: { type: 'string' },
    data: { type: 'null' },
    error: { type: 'string', enum: codes },
    fields: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['code', 'msg', 'data', 'error'],
});
