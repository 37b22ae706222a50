import type { Operation } from './openapi-types.ts';

const text = (description: string, example: string) => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' }, example } },
});

const parts = {
  type: 'object',
  properties: {
    database: { type: 'boolean' },
    feed: { type: 'boolean' },
    settlement: { type: 'boolean' },
    prices: {
      type: 'boolean',
      description: 'Whether any product has a price now; it alone makes nothing unready.',
    },
  },
  required: ['database', 'feed', 'settlement', 'prices'],
  additionalProperties: false,
};

const ready = (description: string) => ({
  description,
  content: { 'application/json': { schema: parts } },
});

const service = { tags: ['service'], security: [{}] } as const;
const log = { tags: ['transparency'], security: [{}] } as const;
const isLog = { 404: text('The log has not grown so far.', 'not found\n') };

/** Paths served outside the operations, without an envelope. */
export const FILE_PATHS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/healthz': {
    get: {
      ...service,
      operationId: 'alive',
      summary: 'Whether the process is alive',
      responses: { 200: text('It is.', 'ok\n'), '4XX': { description: 'An envelope, as everywhere.' } },
    },
  },
  '/readyz': {
    get: {
      ...service,
      operationId: 'ready',
      summary: 'Whether customers can trade: database, feed and settlement are all live',
      responses: {
        200: ready('They are.'),
        503: ready('They are not; says which.'),
        '4XX': { description: 'An envelope, as everywhere.' },
      },
    },
  },
  '/api/openapi.json': {
    get: {
      ...service,
      operationId: 'openApi',
      summary: 'This document',
      responses: {
        200: {
          description: 'OpenAPI 3.1.',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        '4XX': { description: 'An envelope, as everywhere.' },
      },
    },
  },
  '/api/docs': {
    get: {
      ...service,
      operationId: 'docs',
      summary: 'This document as a page to read',
      responses: {
        200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
        '4XX': { description: 'An envelope, as everywhere.' },
      },
    },
  },
  '/api/transparency/checkpoint': {
    get: {
      ...log,
      operationId: 'transparencyCheckpoint',
      summary: 'The newest signed checkpoint (C2SP tlog-checkpoint)',
      responses: {
        200: text(
          'A signed note.',
          'fairtick.invalid/api/transparency\n1024\nmG4X…\n\n— fairtick.invalid/api/transparency …\n',
        ),
        ...isLog,
      },
    },
  },
  '/api/transparency/tile/{level}/{number}': {
    get: {
      ...log,
      operationId: 'transparencyTile',
      summary: 'A tile of the log (C2SP tlog-tiles)',
      description:
        'Numbers from 1000 on are written in groups of three digits, as in x001/234; a tile that is not full has .p/ and its width at the end.',
      parameters: [
        {
          name: 'level',
          in: 'path',
          required: true,
          description: '0 and up, or entries.',
          schema: { type: 'string', pattern: '^(entries|\\d{1,2})$' },
          example: 'entries',
        },
        {
          name: 'number',
          in: 'path',
          required: true,
          description: 'Of the tile, counted from 0 at its level.',
          schema: { type: 'string' },
          example: '000.p/1',
        },
      ],
      responses: {
        200: {
          description: 'Hashes of 32 bytes each, or entries with their lengths. Never changes.',
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        ...isLog,
      },
    },
  },
};
