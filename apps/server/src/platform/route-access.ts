import { type Endpoint, type EndpointName, endpoints } from '@fairtick/protocol';
import type { FastifyInstance, RouteOptions } from 'fastify';

/** Each route is an operation of the API or public, so that none is open because its declaration was forgotten. */
declare module 'fastify' {
  interface FastifyContextConfig {
    access?: 'public' | { readonly operation: EndpointName };
  }
}

export const PUBLIC = { config: { access: 'public' } } as const;

export function declarePublic(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, ...PUBLIC.config };
  });
}

export function demandAccess(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  app.addHook('onReady', async () => {
    const faults = routes.flatMap((route) => {
      const fault = faultOf(route);
      return fault === null ? [] : [`${route.method} ${route.url} ${fault}`];
    });
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
}

function faultOf(route: RouteOptions): string | null {
  const access = route.config?.access;
  if (access === undefined) return 'does not say who may call it';
  if (access !== 'public') {
    return isRouteOf(endpoints[access.operation], route) ? null : `is not the operation ${access.operation}`;
  }
  const isOperation = Object.values<Endpoint>(endpoints).some((endpoint) => isRouteOf(endpoint, route));
  return isOperation ? 'is an operation and has to say which' : null;
}

/** A HEAD request is answered as its GET. */
function isRouteOf(endpoint: Endpoint, { method, url }: RouteOptions): boolean {
  const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : ['POST'];
  return url === `/api/${endpoint.path}` && [method].flat().every((one) => methods.includes(one));
}
