import { formatDecimal } from '@fairtick/money';
import type { OfficeData, StaffRole } from '@fairtick/protocol/office';
import type { Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint::float8`;

/** The id below which a page begins, from the cursor; null: the first page. @throws RefusalError */
export function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  if (!/^\d{1,18}$/.test(cursor)) throw new RefusalError('INVALID_CURSOR');
  return cursor;
}

export const DEFAULT_LIMIT = 20;

/** The query for `rows` asks for one more than `limit`. */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  idOf: (row: T) => string,
): { items: T[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? idOf(last) : null };
}

export async function listStaff(db: Queryable): Promise<OfficeData<'staff/list'>> {
  const { rows } = await db.query<OfficeData<'staff/list'>[number]>(
    `select f.id::text, f.account, f.display_name as name, f.person, f.is_active as "isActive", f.is_demo as "isDemo",
       (select count(*)::int from staff_second_factors x where x.staff_id = f.id and x.confirmed_at is not null) as factors,
       coalesce((select jsonb_agg(jsonb_build_object('role', r.role, 'grantedAt', ${ms('r.granted_at')},
         'usableFrom', ${ms('r.usable_from')}) order by r.granted_at, r.role) from staff_roles r where r.staff_id = f.id), '[]') as roles,
       (select coalesce(array_agg(c.customer_id::text order by c.customer_id), '{}') from staff_customers c
         where c.person = f.person) as customers,
       ${ms('f.created_at')} as "createdAt", f.created_by::text as "createdBy",
       (select ${ms('max(e.at)')} from staff_login_events e where e.staff_id = f.id and e.is_success) as "lastLoginAt"
     from staff f order by f.id limit 1000`,
  );
  return rows;
}

type Change = OfficeData<'staff/changes'>['items'][number];

export const staffChanges = (db: Queryable): OfficeProposals<Change> =>
  new OfficeProposals(db, ['staff_change'], {
    columns: `r.content ->> 'change' as kind, r.about_staff::text as "staffId", f.account, r.content ->> 'role' as role,
      r.content ->> 'customer' as "customerId", r.state, r.proposed_by::text as "proposedBy", r.decided_by::text as "decidedBy"`,
    joins: 'join staff f on f.id = r.about_staff',
  });

/** The rules of four eyes, as stored in the database. */
export async function listRules(db: Queryable, assets: Assets): Promise<OfficeData<'staff/rules'>> {
  const { rows } = await db.query<{
    kind: string;
    edit_role: StaffRole | null;
    role: StaffRole;
    needed: number;
    above: { asset: number; above: string; needed: number }[];
  }>(
    `select r.kind, r.edit_role, r.role, r.needed,
       coalesce((select jsonb_agg(jsonb_build_object('asset', a.asset_id, 'above', a.above::text, 'needed', a.needed)
         order by a.asset_id, a.above) from four_eyes_amounts a where a.kind = r.kind), '[]') as above
     from four_eyes_rules r order by r.kind`,
  );
  return rows.map(({ edit_role, above, ...rule }) => ({
    ...rule,
    editRole: edit_role,
    above: above.map((bound) => {
      const { code, scale } = assets.byId(bound.asset);
      return { asset: code, amount: formatDecimal(BigInt(bound.above), scale), needed: bound.needed };
    }),
  }));
}
