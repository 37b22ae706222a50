import { HOUSE_STEPS, type HouseStep } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';

/** A backup older than this is none. */
const BACKUP_MS = 26 * 3_600_000;

/** What the database does not know. */
export interface HouseFacts {
  readonly hasMetrics: boolean;
  /** Unix ms; -Infinity or null: none. */
  readonly lastBackupMs: number | null;
}

export interface StepState {
  readonly step: HouseStep;
  readonly isDone: boolean;
}

const people = (role: string) =>
  `(select count(distinct s.person) from staff s where s.is_active and staff_may(s.id, ${role}))`;
const agreed = (kinds: string) =>
  `exists (select from proposals where state = 'done' and kind in (${kinds}))`;

/** When a step is done, for those that the database knows. What is shipped with defaults is open until two people have set it. */
const IN_DATABASE: Readonly<Record<Exclude<HouseStep, 'alerts' | 'backups'>, string>> = {
  administrators: `${people(`'administrator'`)} >= 2`,
  staff: `not exists (select from four_eyes_rules r where ${people('r.role')} < greatest(r.needed, 1)
    or (r.edit_role is not null and ${people('r.edit_role')} < 1))`,
  channels: `exists (select from current_channels() c where c.is_enabled)`,
  limits: agreed(`'withdrawal_terms'`),
  rates: `exists (select from earning_rates where proposal_id is not null)`,
  rules: agreed(`'payout_table', 'feed_rules'`),
  sources: `exists (select from product_states where rules_id is not null and gap_reason is distinct from 'end')`,
  funds: `exists (select from current_channels() c where c.is_enabled) and not exists (
    select from current_channels() c left join ledger.house_balances h on h.asset_id = c.asset_id and h.account = ledger.trading_account()
    where c.is_enabled and coalesce(h.balance, 0) <= 0)`,
  witnesses: `exists (select from log_cosignatures)`,
};

const QUERY = `select ${Object.entries(IN_DATABASE)
  .map(([step, sql]) => `(${sql}) as ${step}`)
  .join(', ')}`;

/** The steps to a new house, each done or open. */
export async function readHouseSteps(db: Queryable, facts: HouseFacts): Promise<StepState[]> {
  const { rows } = await db.query<Record<string, boolean>>(QUERY);
  const done: Record<string, boolean> = {
    ...rows[0],
    alerts: facts.hasMetrics,
    backups: Date.now() - (facts.lastBackupMs ?? Number.NEGATIVE_INFINITY) < BACKUP_MS,
  };
  return HOUSE_STEPS.map((step) => ({ step, isDone: done[step] === true }));
}
