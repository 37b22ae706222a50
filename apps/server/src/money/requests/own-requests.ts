import type { ErrorCode, Language, RequestStatus } from '@fairtick/protocol';
import { canTake, type StatusOf } from '@fairtick/protocol/lifecycles';
import { endingOf } from '@fairtick/protocol/request-states';
import { callRow } from '../../platform/db/call.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { RefusalError, refusalOf, type SessionContext } from '../../platform/http/context.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';
import { type PageFilter, readPage } from '../../platform/paging.ts';
import { reasonText } from './reasons.ts';
import { readHistory } from './request-events.ts';

interface Filter {
  readonly id?: string;
  readonly keyHash?: Buffer;
  readonly status?: RequestStatus | undefined;
  readonly cursor?: string | undefined;
}

type Standing = Readonly<{
  id: string;
  status: StatusOf<'deposit'> | StatusOf<'withdrawal'>;
  reason: string | null;
  reasonText: string | null;
}>;

/**
 * Reads one or a page of a customer's own deposits or withdrawals, and cancels one.
 * @param shown SQL over the request `r` and its asset `a`: the columns of this kind beside those of both, and the tables of these columns
 */
export function ownRequests<Request extends { readonly id: string }, Row = Request>(
  pool: Queryable,
  kind: 'deposit' | 'withdrawal',
  shown: {
    readonly columns: string;
    readonly joins: string;
    /** Adds what the database does not have. */
    readonly complete?: (row: Row) => Request;
  },
) {
  const read = async (
    { id, keyHash, status, cursor }: Filter,
    { session, language }: SessionContext,
    limit = 1,
  ): Promise<Request[]> => {
    const { rows } = await pool.query<Standing>(
      `select r.id::text, a.code as asset, ${amountOf('r.amount')} as amount, ${amountOf('r.fee')} as fee, r.status,
         ${ms('r.submitted_at')} as "submittedAt", ${ms('r.decided_at')} as "decidedAt",
         ${ms(`request_lapses_at('${kind}', r.id)`)} as "lapsesAt", r.reason, r.reason_text as "reasonText", ${shown.columns}
       from ${kind}_requests r join ledger.assets a on a.id = r.asset_id ${shown.joins}
       where r.customer_id = $1 and ($2::bigint is null or r.id = $2) and ($3::bytea is null or r.key_hash = $3)
         and ($4::text is null or case when r.status in ('approved', 'sending') then 'review' else r.status end = $4)
         and ($5::bigint is null or r.id < $5)
       order by r.id desc limit $6`,
      [session.customerId, id, keyHash, status, cursor, limit],
    );
    const { complete = (row) => row as unknown as Request } = shown;
    return rows.map((row) => complete(present(row, kind, language) as unknown as Row));
  };
  const one = async (id: string, context: SessionContext): Promise<Request> => {
    const [found] = await read({ id }, context);
    if (!found) throw new RefusalError('REQUEST_NOT_FOUND');
    return found;
  };
  return {
    /** The request that was submitted under this key. */
    submitted: async (keyHash: Buffer, context: SessionContext): Promise<Request> => {
      const [request] = await read({ keyHash }, context);
      if (!request) throw new Error(`a ${kind} was submitted but is not there`);
      return request;
    },
    list: (page: PageFilter & Filter, context: SessionContext) =>
      readPage(page, (limit) => read({ status: page.status, cursor: page.cursor }, context, limit)),
    detail: async ({ id }: { id: string }, context: SessionContext) => ({
      ...(await one(id, context)),
      history: await readHistory(pool, { kind, id }, context.language),
    }),
    cancel: async ({ id }: { id: string }, context: SessionContext): Promise<Request> => {
      await one(id, context);
      const { tokenHash } = context.session;
      const { refused } = await callRow<{ refused: ErrorCode | null }>(pool, `${kind}_cancel`, {
        tokenHash,
        id,
      });
      if (refused) throw refusalOf(refused);
      return one(id, context);
    },
  };
}

function present(
  { status, reason, reasonText: added, ...row }: Standing,
  kind: 'deposit' | 'withdrawal',
  language: Language,
) {
  return {
    ...row,
    status: status === 'approved' || status === 'sending' ? 'review' : status,
    ending: endingOf(reason),
    reason: reason && reasonText(reason, added, language),
    canCancel: canTake(kind, status as StatusOf<typeof kind>, 'cancelled'),
  };
}
