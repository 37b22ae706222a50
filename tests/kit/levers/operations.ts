import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Endpoint, endpoints } from '@fairtick/protocol';
import { type OfficeOperation, officeOperations } from '@fairtick/protocol/office';
import type { FastifyInstance, RouteOptions } from 'fastify';
import * as z from 'zod';

/** One line per operation: side, method and path, who may call it, its fields. */
export function operationLines(
  app: Readonly<Record<string, Endpoint>> = endpoints,
  office: Readonly<Record<string, OfficeOperation>> = officeOperations,
): string[] {
  return [
    ...Object.values(app).map(({ method, path, access, input }) =>
      lineOf('app', `${method} ${path}`, access, input),
    ),
    ...Object.entries(office).map(([path, { method, roles, input }]) =>
      lineOf('office', `${method} ${path}`, typeof roles === 'string' ? roles : roles.join(','), input),
    ),
  ].sort();
}

const lineOf = (side: string, name: string, access: string, input: z.ZodType): string =>
  [side, name, access, ...fieldsOf(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }))].join(' ');

/** Names of all properties at any depth; `*` where the sender chooses the name. */
function fieldsOf(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties, additionalProperties, items, anyOf, oneOf, allOf } = schema as Record<string, unknown>;
  const own = Object.entries((properties ?? {}) as Record<string, unknown>).flatMap(([name, inner]) => [
    `${path}${name}`,
    ...fieldsOf(inner, `${path}${name}.`),
  ]);
  const open =
    typeof additionalProperties === 'object'
      ? [`${path}*`, ...fieldsOf(additionalProperties, `${path}*.`)]
      : [];
  const parts = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    ...new Set([
      ...own,
      ...open,
      ...fieldsOf(items, `${path}[].`),
      ...parts.flatMap((part) => fieldsOf(part, path)),
    ]),
  ].filter((name) => name !== 'lang');
}

const FOLDER = 'tests/kit/levers/lists';

/** Operations that are unlisted or listed with other fields or roles, and listed ones that are missing; empty: all match. */
export function strangeOperations(lines: readonly string[], listed: ReadonlySet<string>): string[] {
  return [
    ...lines
      .filter((line) => !listed.has(line))
      .map((line) => `the operation ${line}: see ${FOLDER}/operations.txt`),
    ...[...listed]
      .filter((line) => !lines.includes(line))
      .map((line) => `${line} is listed and is not there: see ${FOLDER}/operations.txt`),
  ];
}

/** Every route that a server of this process registers while `work` runs, as `METHOD url`. */
export async function routesOf(work: () => Promise<void>): Promise<string[]> {
  const routes = new Set<string>();
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
      for (const one of [method].flat()) if (one !== 'HEAD' && one !== 'OPTIONS') routes.add(`${one} ${url}`);
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    await work();
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
  return [...routes].sort();
}

/** Routes that are neither an operation nor on the list. */
export function strangeRoutes(routes: readonly string[], listed: ReadonlySet<string>): string[] {
  const known = new Set([
    ...Object.values<Endpoint>(endpoints).map(({ method, path }) => `${method} /api/${path}`),
    ...Object.entries<OfficeOperation>(officeOperations).map(
      ([path, { method }]) => `${method} /api/${path}`,
    ),
  ]);
  return routes
    .filter((route) => !known.has(route) && !listed.has(route))
    .map((route) => `the route ${route}: see ${FOLDER}/routes.txt`);
}
