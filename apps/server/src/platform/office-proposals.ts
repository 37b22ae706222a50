import type { Queryable } from './db/database.ts';
import { NamedCall } from './db/named-call.ts';
import { ms, queueStart, who } from './office-queries.ts';
import { pageOf } from './paging.ts';

export type ProposalState = 'proposed' | 'done' | 'refused';

interface Filter {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** SQL over the proposal `r`: the columns that these kinds show beside those of every proposal, and the tables of these columns. */
interface Shown {
  readonly columns?: string;
  readonly joins?: string;
}

const DEFAULT_LIMIT = 20;

/** The one way from `schema/office/proposals.sql` to the wire and back. */
export class OfficeProposals<Row extends { id: string }> {
  readonly #db: Queryable;
  readonly #kinds: readonly string[];
  readonly #select: string;

  constructor(db: Queryable, kinds: readonly string[], { columns = 'r.state', joins = '' }: Shown = {}) {
    this.#db = db;
    this.#kinds = kinds;
    // The database client keeps the later of two columns with one name, so `columns` may replace those before it.
    this.#select = `select r.id::text, ${who('r.proposed_by')} as "proposedBy", ${ms('r.proposed_at')} as "proposedAt",
        ${who('r.decided_by')} as "decidedBy", ${ms('r.decided_at')} as "decidedAt", ${columns}
      from proposals r ${joins} where r.kind = any ($1::text[])`;
  }

  async list(filter: Filter, condition = 'true'): Promise<{ items: Row[]; nextCursor: string | null }> {
    const limit = filter.limit ?? DEFAULT_LIMIT;
    const { rows } = await this.#db.query<Row>(
      `${this.#select} and ${condition} and ($2::bigint is null or r.id < $2) order by r.id desc limit $3`,
      [this.#kinds, queueStart({ cursor: filter.cursor }), limit + 1],
    );
    return pageOf(rows, limit);
  }

  async read(id: string): Promise<Row | undefined> {
    return (await this.#db.query<Row>(`${this.#select} and r.id = $2`, [this.#kinds, id])).rows[0];
  }

  /** @param options `content`: hash of the content that the person has seen; `secret`: made for carrying the proposal out, no part of it */
  async approve(
    staffId: string,
    id: string,
    { content = null, secret = null }: { content?: Buffer | null; secret?: string | null } = {},
  ): Promise<ProposalState> {
    const { rows } = await this.#db.query<{ result: ProposalState }>(
      APPROVE.with({ staff: staffId, kinds: this.#kinds, id, content, secret }),
    );
    return (rows[0] as { result: ProposalState }).result;
  }

  async refuse(staffId: string, id: string, reason: string | null = null): Promise<ProposalState> {
    await this.#db.query('select proposal_refuse($1, $2, $3, $4)', [staffId, this.#kinds, id, reason]);
    return 'refused';
  }

  async decide(staffId: string, id: string, verdict: 'agree' | 'refuse'): Promise<{ status: ProposalState }> {
    return { status: await (verdict === 'agree' ? this.approve(staffId, id) : this.refuse(staffId, id)) };
  }
}

const APPROVE = new NamedCall('proposal_approve', {
  staff: 'bigint',
  kinds: 'text[]',
  id: 'bigint',
  content: 'bytea',
  secret: 'text',
});
