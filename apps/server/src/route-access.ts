import { type Endpoint, type EndpointName, endpoints } from '@fairtick/protocol';
import type { FastifyInstance, RouteOptions } from 'fastify';

/**
 * Who may call a route: it is an operation of the API, whose entry says so and which is held to it, or it is there for
 * everybody. There is no third way, so that nothing is served to whoever asks because somebody forgot to say.
 */
declare module 'fastify' {
  interface FastifyContextConfig {
    access?: 'public' | { readonly operation: EndpointName };
  }
}

/** For a route beside the operations. */
export const PUBLIC = { config: { access: 'public' } } as const;

/** The routes that a plugin makes within `app` are for everybody. */
export function declarePublic(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, ...PUBLIC.config };
  });
}

/** A server with a route that doesn't say who may call it does not start. */
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

/** A HEAD is answered as the GET that it belongs to. */
function isRouteOf(endpoint: Endpoint, { method, url }: RouteOptions): boolean {
  const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : ['POST'];
  return url === `/api/${endpoint.path}` && [method].flat().every((one) => methods.includes(one));
}
