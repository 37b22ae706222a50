import { call, perform } from './db/call.ts';
import type { Queryable } from './db/database.ts';
import { ms, who } from './office-queries.ts';
import { type PageFilter, readPage } from './paging.ts';

export type ProposalState = 'proposed' | 'done' | 'refused';

/** SQL over the proposal `r`: the columns that these kinds show beside those of every proposal, and the tables of these columns. */
interface Shown {
  readonly columns?: string;
  readonly joins?: string;
}

/** Proposals of some kinds in the office: the one way from `schema/office/proposals.sql` to the wire and back. */
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

  /** A page, newest first, of the proposals that meet an SQL condition. */
  list(filter: PageFilter, condition = 'true'): Promise<{ items: Row[]; nextCursor: string | null }> {
    return readPage(filter, async (limit) => {
      const { rows } = await this.#db.query<Row>(
        `${this.#select} and ${condition} and ($2::bigint is null or r.id < $2) order by r.id desc limit $3`,
        [this.#kinds, filter.cursor, limit],
      );
      return rows;
    });
  }

  async read(id: string): Promise<Row | undefined> {
    return (await this.#db.query<Row>(`${this.#select} and r.id = $2`, [this.#kinds, id])).rows[0];
  }

  /**
   * Approves for one person; the last approval that is needed carries the proposal out. `content` is the hash of the content that
   * the person has seen. `secret` is made for carrying this proposal out and is no part of the content. Returns the state after that.
   */
  approve(
    staffId: string,
    id: string,
    seen: { content?: Buffer; secret?: string | null } = {},
  ): Promise<ProposalState> {
    return call(this.#db, 'proposal_approve', { staff: staffId, kinds: this.#kinds, id, ...seen });
  }

  refuse(staffId: string, id: string, reason: string | null = null): Promise<null> {
    return perform(this.#db, 'proposal_refuse', { staff: staffId, kinds: this.#kinds, id, reason });
  }

  async decide(staffId: string, id: string, verdict: 'agree' | 'refuse'): Promise<{ status: ProposalState }> {
    if (verdict === 'agree') return { status: await this.approve(staffId, id) };
    await this.refuse(staffId, id);
    return { status: 'refused' };
  }
}
