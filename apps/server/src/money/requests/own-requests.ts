import type { ErrorCode, Language, RequestStatus } from '@fairtick/protocol';
import type { Pool } from '../../platform/db/database.ts';
import { RefusalError, type SessionContext } from '../../platform/http/context.ts';
import { pageOf, readCursor, readId } from '../../platform/paging.ts';
import { refusalOf } from './refusals.ts';
import { readHistory } from './request-events.ts';

export interface RequestFilter {
  readonly customerId: string;
  readonly id?: number;
  readonly keyHash?: Buffer;
  readonly status?: RequestStatus | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** The values `$1` to `$6` of a query of deposits or withdrawals. */
export const filterValues = ({ customerId, id, keyHash, status, beforeId, limit }: RequestFilter) =>
  [customerId, id, keyHash, status, beforeId, limit].map((value) => value ?? null);

type Page = { status?: RequestStatus | undefined; cursor?: string | undefined; limit?: number | undefined };

/** Reads one or a page of a customer's own deposits or withdrawals, and cancels one. */
export function ownRequests<Request extends { readonly id: string }>(
  pool: Pool,
  kind: 'deposit' | 'withdrawal',
  read: (filter: RequestFilter, language: Language) => Promise<Request[]>,
) {
  const one = async ({ id }: { id: string }, { session, language }: SessionContext): Promise<Request> => {
    const filter = { customerId: session.customerId, id: readId(id) ?? 0, limit: 1 };
    const [found] = await read(filter, language);
    if (!found) throw new RefusalError('REQUEST_NOT_FOUND');
    return found;
  };
  return {
    /** The request that was submitted under this key. */
    submitted: async (keyHash: Buffer, { session, language }: SessionContext): Promise<Request> => {
      const [request] = await read({ customerId: session.customerId, keyHash, limit: 1 }, language);
      if (!request) throw new Error(`a ${kind} was submitted but is not there`);
      return request;
    },
    list: async ({ status, cursor, limit = 20 }: Page, { session, language }: SessionContext) => {
      const beforeId = cursor === undefined ? undefined : readCursor(cursor);
      const filter = { customerId: session.customerId, status, beforeId, limit: limit + 1 };
      return pageOf(await read(filter, language), limit);
    },
    detail: async ({ id }: { id: string }, context: SessionContext) => {
      const request = await one({ id }, context);
      return { ...request, history: await readHistory(pool, { kind, id }, context.language) };
    },
    cancel: async ({ id }: { id: string }, context: SessionContext): Promise<Request> => {
      await one({ id }, context);
      const { rows } = await pool.query<{ refused: ErrorCode | null }>(
        `select ${kind}_cancel($1, $2) as refused`,
        [context.session.tokenHash, id],
      );
      if (rows[0]?.refused) throw refusalOf(rows[0].refused);
      return one({ id }, context);
    },
  };
}
