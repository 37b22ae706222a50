import type { OfficeData, recoveryOperations } from '@fairtick/protocol/office';
import { hashOfHalves, hashRecoveryCode, newRecoveryCode } from '../customers/identity/passwords.ts';
import { recordView } from '../customers/personal-data/views.ts';
import type { Pool } from '../platform/db/database.ts';
import { NamedCall } from '../platform/db/named-call.ts';
import { RefusalError } from '../platform/http/context.ts';
import type { OfficeHandlers } from '../platform/office-area.ts';
import { OfficeProposals } from '../platform/office-proposals.ts';
import { ms, queueStart, who } from '../platform/office-queries.ts';
import { pageOf } from '../platform/paging.ts';
import type { KeyRing } from '../platform/sealing/key-ring.ts';
import { type CallForHelp, callBinding, openRecord } from '../platform/sealing/records.ts';

type Path = keyof typeof recoveryOperations;
type Detail = OfficeData<'recovery/detail'>;

const DEFAULT_LIMIT = 20;

const CALL = `r.id::text, r.account, ${ms('r.at')} as at, recovery_state(r) as state, ${who('p.proposed_by')} as "proposedBy",
  ${ms('p.proposed_at')} as "proposedAt", ${who('r.decided_by')} as "decidedBy", ${ms('r.decided_at')} as "decidedAt", r.reason,
  r.lost_at is not null as "isClaim",
  ${ms('case when r.lost_at is not null and r.decided_at is null then claim_holds_until(r) end')} as "holdsUntil"`;

/** Calls for help from before a login. The database enforces what two people have to agree to (`schema/customers/recovery.sql`). */
export function recoveryOfficeHandlers(parts: RecoveryParts): OfficeHandlers<Path> {
  const { pool } = parts;
  const proposals = new OfficeProposals(pool, ['account_recovery']);
  return {
    'recovery/queue': async (filter) => {
      const limit = filter.limit ?? DEFAULT_LIMIT;
      const where =
        (filter.state ?? 'open') === 'open'
          ? `r.decided_at is null and ($1::bigint is null or (r.lost_at is null, r.id) >
               (select q.lost_at is null, q.id from recovery_requests q where q.id = $1)) order by r.lost_at is null, r.id`
          : `r.decided_at is not null and ($1::bigint is null or r.id < $1) order by r.id desc`;
      const { rows } = await pool.query<OfficeData<'recovery/queue'>['items'][number]>(
        `select ${CALL} from recovery_requests r left join proposals p on p.id = r.proposal_id where ${where} limit $2`,
        [queueStart(filter), limit + 1],
      );
      return pageOf(rows, limit);
    },
    'recovery/detail': ({ id }, { session }) => readDetail(parts, session.staffId, demandId(id)),
    'recovery/propose': async ({ id, how, takesFactor = false }, { session }) => {
      const half = newRecoveryCode();
      const halfHash = hashRecoveryCode(half);
      await pool.query(
        PROPOSE.with({ staff: session.staffId, id: demandId(id), how, halfHash, takesFactor }),
      );
      return { half };
    },
    'recovery/approve': async ({ id, content }, { session }) => {
      const half = newRecoveryCode();
      const { rows } = await pool.query<{ id: string; half: string | null }>(
        `select id, content ->> 'half' as half from proposals where id = recovery_proposed($1)`,
        [demandId(id)],
      );
      const proposal = rows[0] as { id: string; half: string | null };
      // After a new proposal, the approval is refused, because the content differs.
      const approve = (secret: string | null) =>
        proposals.approve(session.staffId, proposal.id, { content: Buffer.from(content, 'hex'), secret });
      // The refusal of a claim has no code.
      if (proposal.half === null) {
        await approve(null);
        return { half: null };
      }
      const halves = [Buffer.from(proposal.half, 'hex'), hashRecoveryCode(half)] as const;
      await approve(hashOfHalves(halves).toString('hex'));
      return { half };
    },
    'recovery/keep': async ({ id }, { session }) => {
      await pool.query('select recovery_keep($1, $2)', [session.staffId, demandId(id)]);
      return null;
    },
    'recovery/refuse': async ({ id, reason }, { session }) => {
      await pool.query('select recovery_refuse($1, $2, $3)', [session.staffId, demandId(id), reason]);
      return null;
    },
  };
}

interface RecoveryParts {
  readonly pool: Pool;
  readonly keys: KeyRing;
}

type Row = Omit<Detail, 'customer' | keyof CallForHelp> & { readonly sealed: Buffer } & {
  readonly [C in keyof NonNullable<Detail['customer']> as `c_${C}`]:
    | NonNullable<Detail['customer']>[C]
    | null;
};

async function readDetail({ pool, keys }: RecoveryParts, staffId: string, id: string): Promise<Detail> {
  const { rows } = await pool.query<Row>(
    `select ${CALL}, r.sealed, host(r.address) as address, ${ms('r.lost_at')} as "lostAt",
       ${ms('r.objected_at')} as "objectedAt", p.content ->> 'how' as how, p.content ->> 'reason' as refusal,
       coalesce((p.content ->> 'takesFactor')::boolean, false) as "takesFactor", encode(p.content_hash, 'hex') as content,
       coalesce(p.proposed_by = $2, false) as "isMine",
       (select hold_seconds from house_settings) as "holdSeconds",
       c.id::text as c_id, c.nickname as c_nickname, c.real_status as "c_realStatus", c.has_second_factor as "c_hasSecondFactor", ${ms('c.created_at')} as "c_createdAt",
       (select max(v.id)::text from verifications v where v.customer_id = c.id and v.state = 'verified') as "c_verificationId",
       (select ${ms('max(e.at)')} from login_events e where e.customer_id = c.id and e.is_success) as "c_lastLoginAt"
     from recovery_requests r left join proposals p on p.id = r.proposal_id
     left join customers c on lower(c.account) = lower(r.account) and c.erased_at is null
     where r.id = $1`,
    [id, staffId],
  );
  const row = rows[0];
  if (!row) throw new RefusalError('RECOVERY_CLOSED');
  const {
    c_id,
    c_nickname,
    c_realStatus,
    c_hasSecondFactor,
    c_createdAt,
    c_verificationId,
    c_lastLoginAt,
    sealed,
    ...facts
  } = row;
  const call = { ...facts, ...openRecord(keys, callBinding(id), sealed) };
  if (
    c_id === null ||
    c_nickname === null ||
    c_realStatus === null ||
    c_hasSecondFactor === null ||
    c_createdAt === null
  )
    return { ...call, customer: null };
  await recordView(pool, { staffId, customerId: c_id, what: 'recovery', subjectId: id });
  return {
    ...call,
    customer: {
      id: c_id,
      nickname: c_nickname,
      realStatus: c_realStatus,
      hasSecondFactor: c_hasSecondFactor,
      verificationId: c_verificationId,
      createdAt: c_createdAt,
      lastLoginAt: c_lastLoginAt,
    },
  };
}

/** @throws RefusalError when `id` can't be the number of a call */
function demandId(id: string): string {
  if (!/^\d{1,18}$/.test(id)) throw new RefusalError('RECOVERY_CLOSED');
  return id;
}

const PROPOSE = new NamedCall('recovery_propose', {
  staff: 'bigint',
  id: 'bigint',
  how: 'text',
  halfHash: 'bytea',
  takesFactor: 'boolean',
});
