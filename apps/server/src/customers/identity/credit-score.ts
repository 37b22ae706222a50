import type { Standing } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';
import { ms } from '../../platform/office-queries.ts';

const DAY_MS = 86_400_000;
/** One point for each month of the account, up to ten. */
const MONTH_DAYS = 30;
/** Days with a verified name and a second factor, without a break. */
const GOLD_DAYS = 90;
const PLATINUM_DAYS = 365;

interface Facts {
  readonly isVerified: boolean;
  readonly hasWithdrawalPassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly recoveryCodes: number;
  readonly hasReversedDeposit: boolean;
  readonly ageDays: number;
}

/**
 * The credit score: points for facts that the customer sees listed, a hundred in all. It can't be edited, and no
 * decision depends on it: it never gates a withdrawal.
 */
export function scoreOf(facts: Facts): Pick<Standing, 'creditScore' | 'facts'> {
  const months = Math.floor(facts.ageDays / MONTH_DAYS);
  const all: Standing['facts'] = [
    { name: 'verified', points: facts.isVerified ? 35 : 0, most: 35 },
    { name: 'secondFactor', points: facts.hasSecondFactor ? 25 : 0, most: 25 },
    { name: 'payWord', points: facts.hasWithdrawalPassword ? 10 : 0, most: 10 },
    { name: 'recoveryCodes', points: facts.recoveryCodes > 0 ? 10 : 0, most: 10 },
    // A deposit that was credited and then reversed costs these points for good.
    { name: 'noReversedDeposit', points: facts.hasReversedDeposit ? 0 : 10, most: 10 },
    { name: 'accountAge', points: Math.max(0, Math.min(10, months)), most: 10 },
  ];
  return { creditScore: all.reduce((sum, { points }) => sum + points, 0), facts: all };
}

/** Same thresholds as level_of (`schema/customers/accounts.sql`); null where time alone raises no level. */
function nextLevelOf(level: Standing['level'], securedSince: number | null): Standing['nextLevel'] {
  if (securedSince === null) return null;
  if (level === 'silver') return { level: 'gold', at: securedSince + GOLD_DAYS * DAY_MS };
  if (level === 'gold') return { level: 'platinum', at: securedSince + PLATINUM_DAYS * DAY_MS };
  return null;
}

export async function readStanding(db: Queryable, customerId: string): Promise<Standing> {
  const { rows } = await db.query<Facts & Pick<Standing, 'level' | 'securedSince'>>({
    name: 'customer-standing',
    text: `select level, real_status = 'verified' as "isVerified", has_second_factor as "hasSecondFactor",
        ${ms('secured_since')} as "securedSince",
        exists (select from withdrawal_passwords w where w.customer_id = c.id) as "hasWithdrawalPassword",
        (select count(*)::int from recovery_codes r where r.customer_id = c.id and r.used_at is null) as "recoveryCodes",
        exists (select from corrections k where k.customer_id = c.id and k.reversed_deposit_id is not null and k.transfer_id is not null)
          as "hasReversedDeposit",
        (extract(epoch from now() - created_at) / 86400)::float8 as "ageDays"
      from customers c where id = $1`,
    values: [customerId],
  });
  const row = rows[0];
  if (!row) throw new Error(`no customer ${customerId}`);
  const { level, securedSince } = row;
  return { level, ...scoreOf(row), securedSince, nextLevel: nextLevelOf(level, securedSince) };
}
