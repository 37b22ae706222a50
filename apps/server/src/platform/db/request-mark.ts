import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

const current = new AsyncLocalStorage<string>();
const LONGEST = 64;

/** So that an operator finds the request of a slow statement. */
export function underRequest<T>(id: string, work: () => T): T {
  // Only these characters, so that no number ends the comment.
  const number = id.replace(/[^0-9A-Za-z-]/g, '').slice(0, LONGEST);
  return current.run(`/* request=${number} */ `, work);
}

/** For work that one request begins for many. */
export const underNoRequest = <T>(work: () => T): T => current.exit(work);

/** Writes the request's number before each statement; one that is prepared by name keeps its text for all requests. */
export class MarkedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((statement: unknown, ...rest: unknown[]) =>
      query(withMark(statement, current.getStore()), ...rest)) as typeof this.query;
  }
}

function withMark(statement: unknown, mark: string | undefined): unknown {
  if (mark === undefined) return statement;
  if (typeof statement === 'string') return mark + statement;
  const config = statement as pg.QueryConfig & { readonly submit?: unknown };
  return config.name !== undefined || config.submit !== undefined
    ? statement
    : { ...config, text: mark + config.text };
}
