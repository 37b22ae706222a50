import type { OfficeData, recoveryOperations } from '@fairtick/protocol/office';
import { hashOfHalves, hashRecoveryCode, newRecoveryCode } from '../customers/identity/passwords.ts';
import { recordView } from '../customers/personal-data/views.ts';
import { perform } from '../platform/db/call.ts';
import type { Pool } from '../platform/db/database.ts';
import { RefusalError } from '../platform/http/context.ts';
import type { OfficeHandlers } from '../platform/office-area.ts';
import { OfficeProposals } from '../platform/office-proposals.ts';
import { ms, who } from '../platform/office-queries.ts';
import { readPage } from '../platform/paging.ts';
import type { KeyRing } from '../platform/sealing/key-ring.ts';
import { type CallForHelp, callBinding, openRecord } from '../platform/sealing/records.ts';

type Path = keyof typeof recoveryOperations;
type Detail = OfficeData<'recovery/detail'>;

const CALL = `r.id::text, r.account, ${ms('r.at')} as at, recovery_state(r) as state, ${who('p.proposed_by')} as "proposedBy",
  ${ms('p.proposed_at')} as "proposedAt", ${who('r.decided_by')} as "decidedBy", ${ms('r.decided_at')} as "decidedAt", r.reason,
  r.lost_at is not null as "isClaim",
  ${ms('case when r.lost_at is not null and r.decided_at is null then claim_holds_until(r) end')} as "holdsUntil"`;

/** Calls for help from before a login. The database enforces what two people have to agree to (`schema/customers/recovery.sql`). */
export function recoveryOfficeHandlers(parts: RecoveryParts): OfficeHandlers<Path> {
  const { pool } = parts;
  const proposals = new OfficeProposals(pool, ['account_recovery']);
  return {
    'recovery/queue': (filter) => {
      const where =
        (filter.state ?? 'open') === 'open'
          ? `r.decided_at is null and ($1::bigint is null or (r.lost_at is null, r.id) >
               (select q.lost_at is null, q.id from recovery_requests q where q.id = $1)) order by r.lost_at is null, r.id`
          : `r.decided_at is not null and ($1::bigint is null or r.id < $1) order by r.id desc`;
      return readPage(filter, async (limit) => {
        const { rows } = await pool.query<OfficeData<'recovery/queue'>['items'][number]>(
          `select ${CALL} from recovery_requests r left join proposals p on p.id = r.proposal_id where ${where} limit $2`,
          [filter.cursor, limit],
        );
        return rows;
      });
    },
    'recovery/detail': ({ id }, { session }) => readDetail(parts, session.staffId, id),
    'recovery/propose': async ({ id, how, takesFactor = false }, { session }) => {
      const half = newRecoveryCode();
      const halfHash = hashRecoveryCode(half);
      await perform(pool, 'recovery_propose', { staff: session.staffId, id, how, halfHash, takesFactor });
      return { half };
    },
    'recovery/approve': async ({ id, content }, { session }) => {
      const half = newRecoveryCode();
      const { rows } = await pool.query<{ id: string; half: string | null }>(
        `select id, content ->> 'half' as half from proposals where id = recovery_proposed($1)`,
        [id],
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
    'recovery/keep': ({ id }, { session }) => perform(pool, 'recovery_keep', { staff: session.staffId, id }),
    'recovery/refuse': ({ id, reason }, { session }) =>
      perform(pool, 'recovery_refuse', { staff: session.staffId, id, reason }),
  };
}

interface RecoveryParts {
  readonly pool: Pool;
  readonly keys: KeyRing;
}

type Row = Omit<Detail, keyof CallForHelp> & { readonly sealed: Buffer };

async function readDetail({ pool, keys }: RecoveryParts, staffId: string, id: string): Promise<Detail> {
  const { rows } = await pool.query<Row>(
    `select ${CALL}, r.sealed, host(r.address) as address, ${ms('r.lost_at')} as "lostAt",
       ${ms('r.objected_at')} as "objectedAt", p.content ->> 'how' as how, p.content ->> 'reason' as refusal,
       coalesce((p.content ->> 'takesFactor')::boolean, false) as "takesFactor", encode(p.content_hash, 'hex') as content,
       coalesce(p.proposed_by = $2, false) as "isMine",
       (select hold_seconds from house_settings) as "holdSeconds",
       case when c.id is not null then json_build_object('id', c.id::text, 'nickname', c.nickname, 'realStatus', c.real_status,
         'hasSecondFactor', c.has_second_factor, 'createdAt', ${ms('c.created_at')},
         'verificationId', (select max(v.id)::text from verifications v where v.customer_id = c.id and v.state = 'verified'),
         'lastLoginAt', (select ${ms('max(e.at)')} from login_events e where e.customer_id = c.id and e.is_success)) end as customer
     from recovery_requests r left join proposals p on p.id = r.proposal_id
     left join customers c on lower(c.account) = lower(r.account) and c.erased_at is null
     where r.id = $1`,
    [id, staffId],
  );
  if (!rows[0]) throw new RefusalError('RECOVERY_CLOSED');
  const { sealed, ...call } = rows[0];
  if (call.customer)
    await recordView(pool, { staffId, customerId: call.customer.id, what: 'recovery', subjectId: id });
  return { ...call, ...openRecord(keys, callBinding(id), sealed) };
}
