import {
  type OfficeOperation,
  type OfficePath,
  officeOperations,
  STAFF_ROLES,
} from '@fairtick/protocol/office';
import type { FastifyInstance, RouteOptions } from 'fastify';

/**
 * Access to a route of the office: an operation, whose entry names its roles, a public file of the app, or a health
 * check. A server with a route that declares none of these does not start.
 */
declare module 'fastify' {
  interface FastifyContextConfig {
    office?: 'app' | 'sign' | { readonly operation: OfficePath };
  }
}

/** Marks a page or a file of the app. */
export const APP_FILE = { config: { office: 'app' } } as const;

/** Marks a health check for a balancer. */
export const SIGN = { config: { office: 'sign' } } as const;
const SIGNS: readonly string[] = ['/healthz', '/readyz'];

/** Marks the routes that a plugin adds within `app` as files of the app. */
export function declareAppFiles(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, ...APP_FILE.config };
  });
}

/** Checks at the start that every route is declared, and that every operation has roles that exist. */
export function demandRoles(
  app: FastifyInstance,
  operations: Readonly<Record<string, OfficeOperation>> = officeOperations,
): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  app.addHook('onReady', async () => {
    const faults = [
      ...routes.map((route) => faultOfRoute(route, operations)),
      ...Object.entries(operations).map(([path, operation]) => faultOfOperation(path, operation, routes)),
    ].filter((fault) => fault !== null);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
}

function faultOfRoute(
  route: RouteOptions,
  operations: Readonly<Record<string, OfficeOperation>>,
): string | null {
  const declared = route.config?.office;
  const name = `${route.method} ${route.url}`;
  if (declared === undefined) return `${name} does not say which roles may call it`;
  if (declared === 'app') return route.url.startsWith('/api') ? `${name} is no file of the app` : null;
  if (declared === 'sign') return SIGNS.includes(route.url) ? null : `${name} is no sign of life`;
  const operation = operations[declared.operation];
  const isIt =
    operation !== undefined &&
    route.url === `/api/${declared.operation}` &&
    (route.method === operation.method || (operation.method === 'GET' && route.method === 'HEAD'));
  return isIt ? null : `${name} is not the operation ${declared.operation}`;
}

function faultOfOperation(
  path: string,
  operation: OfficeOperation,
  routes: readonly RouteOptions[],
): string | null {
  const { roles } = operation;
  const known: readonly string[] = STAFF_ROLES;
  const isDeclared =
    roles === 'public' ||
    roles === 'anyone' ||
    (Array.isArray(roles) && roles.length > 0 && roles.every((role) => known.includes(role)));
  if (!isDeclared) return `${path} does not say which roles may call it`;
  if (roles === 'public' && operation.needsProof) return `${path} is public and asks for a step-up`;
  return routes.some(({ url }) => url === `/api/${path}`) ? null : `${path} has no route`;
}
