import type { Queryable } from './db/database.ts';
import { ms, pageOfQueue, queueStart, who } from './office-queries.ts';

/** Proposals in the office: the one way from `schema/office/proposals.sql` to the wire, and back. */

export type ProposalState = 'proposed' | 'done' | 'refused';

/** The columns that every kind of proposal `r` shows, besides its state and content. A kind's column of the same name replaces one. */
export const PROPOSAL = `r.id::text, ${who('r.proposed_by')} as "proposedBy", ${ms('r.proposed_at')} as "proposedAt",
  ${who('r.decided_by')} as "decidedBy", ${ms('r.decided_at')} as "decidedAt"`;

/** The parts of a list that differ from kind to kind: `columns`, `joins` and `condition` are SQL over the proposal `r`. */
interface ListedKind {
  readonly kinds: readonly string[];
  readonly columns: string;
  readonly joins?: string;
  readonly condition?: string;
}

const DEFAULT_LIMIT = 20;

/** A page of proposals, newest first. @throws RefusalError for a cursor that is none */
export async function listProposals<T extends { id: string }>(
  db: Queryable,
  { kinds, columns, joins = '', condition = 'true' }: ListedKind,
  filter: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<{ items: T[]; nextCursor: string | null }> {
  const limit = filter.limit ?? DEFAULT_LIMIT;
  const { rows } = await db.query<T>(
    `select ${PROPOSAL}, ${columns} from proposals r ${joins}
     where r.kind = any ($3::text[]) and ${condition} and ($1::bigint is null or r.id < $1) order by r.id desc limit $2`,
    [queueStart({ cursor: filter.cursor }), limit + 1, kinds],
  );
  return pageOfQueue(rows, limit);
}

/** One proposal; undefined: there is none of these kinds with this id. */
export async function readProposal<T extends { id: string }>(
  db: Queryable,
  { kinds, columns, joins = '' }: ListedKind,
  id: string,
): Promise<T | undefined> {
  const { rows } = await db.query<T>(
    `select ${PROPOSAL}, ${columns} from proposals r ${joins} where r.kind = any ($2::text[]) and r.id = $1`,
    [id, kinds],
  );
  return rows[0];
}

interface Decision {
  readonly staffId: string;
  /** The kinds that the operation decides; a proposal of another kind is not found. */
  readonly kinds: readonly string[];
  readonly id: string;
}

interface Approval extends Decision {
  /** The hash of the content that the approver has seen. */
  readonly content?: Buffer;
  /** Made for carrying this proposal out; not part of its content. */
  readonly secret?: string | null;
}

/** Approves for one person; the last approval that is needed carries the proposal out. Returns the state after that. */
export async function approveProposal(
  db: Queryable,
  { staffId, kinds, id, content, secret = null }: Approval,
): Promise<ProposalState> {
  const { rows } = await db.query<{ state: ProposalState }>(
    'select proposal_approve($1, $2, $3, $4, $5) as state',
    [staffId, kinds, id, content ?? null, secret],
  );
  return (rows[0] as { state: ProposalState }).state;
}

interface Refusal extends Decision {
  readonly reason?: string;
}

export async function refuseProposal(
  db: Queryable,
  { staffId, kinds, id, reason }: Refusal,
): Promise<ProposalState> {
  await db.query('select proposal_refuse($1, $2, $3, $4)', [staffId, kinds, id, reason ?? null]);
  return 'refused';
}

/** Approves or refuses, as the form of a page says; the answer has the status after that. */
export const decideProposal = async (
  db: Queryable,
  { verdict, ...decision }: Decision & { readonly verdict: 'agree' | 'refuse' },
): Promise<{ status: ProposalState }> => ({
  status: await (verdict === 'agree' ? approveProposal : refuseProposal)(db, decision),
});
