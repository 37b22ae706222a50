import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';

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
export async function listRules(db: Queryable): Promise<OfficeData<'staff/rules'>> {
  const { rows } = await db.query<OfficeData<'staff/rules'>[number]>(
    `select r.kind, r.edit_role as "editRole", r.role, r.needed,
       coalesce((select jsonb_agg(jsonb_build_object('asset', a.code, 'amount', ${amountOf('f.above')}, 'needed', f.needed)
         order by a.id, f.above) from four_eyes_amounts f join ledger.assets a on a.id = f.asset_id where f.kind = r.kind), '[]') as above
     from four_eyes_rules r order by r.kind`,
  );
  return rows;
}
