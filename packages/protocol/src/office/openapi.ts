import type { AnyErrorCode } from '../errors.ts';
import { describe, FORMS, KEY } from '../openapi/describe.ts';
import { ANY, fieldErrors } from '../openapi/documented-errors.ts';
import type { OfficeOperation } from './operation.ts';
import { officeOperations } from './operations.ts';

/** Every refusal that an operation can answer. */
export function officeErrorsOf(operation: OfficeOperation): readonly AnyErrorCode[] {
  const codes = new Set<AnyErrorCode>([
    ...ANY,
    'CROSS_SITE',
    ...operation.errors,
    ...fieldErrors(operation.input),
  ]);
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

const OFFICE_HEADER = { name: 'x-office', in: 'header', required: true, schema: { const: '1' } } as const;

/** The back office's API as OpenAPI 3.1, made from its declared operations. Only staff may read it. */
export function officeDocument(): Readonly<Record<string, unknown>> {
  const operations = Object.entries<OfficeOperation>(officeOperations);
  const { paths, schemas, responses } = describe(
    operations.map(([path, operation]) => ({
      operationId: path.replace('/', '_'),
      path,
      operation,
      codes: officeErrorsOf(operation),
      description: operation.needsProof
        ? 'Needs a proved session: a login or session/stepUp within the last 15 minutes. Else REAUTH_REQUIRED.'
        : '',
      security: operation.roles === 'public' ? [{}] : [{ session: [] }],
      headers: [OFFICE_HEADER, ...(operation.moves ? [KEY] : [])],
      forms: FORMS,
      files: operation.isFile ? ['*/*'] : [],
      'x-roles': operation.roles,
    })),
  );
  const areas = [...new Set(operations.map(([path]) => path.split('/')[0] as string))];
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
      responses,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'office', description: 'Set by session/login.' },
      },
    },
  };
}
