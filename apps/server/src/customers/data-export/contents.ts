import type { Queryable } from '../../platform/db/database.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import { callBinding, openRecord } from '../../platform/sealing/records.ts';

/** Rows of each table, the newest; older ones come with a fund log by dates, or from support. */
const MOST_ROWS = 10_000;

/** One table's part of the file. */
export interface Kept {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Whether there are older rows that are not in the file. */
  readonly hasMore: boolean;
}

interface Source {
  readonly table: string;
  /** The column with the customer's number, if it is not `customer_id`. */
  readonly owner?: string;
  /** SQL joins, for columns that another table has. */
  readonly joins?: string;
  /** SQL sort order, newest first. */
  readonly order: string;
  /** Columns about the house and not about the customer, such as the member of staff who works on a request. */
  readonly without?: readonly string[];
  /** The columns that the server may read, if it may not read all. */
  readonly columns?: string;
}

/** Every table with a customer's number is listed here or in {@link NOT_EXPORTED}; a test compares both with the schema. */
export const EXPORTED: readonly Source[] = [
  { table: 'customers', owner: 'id', order: 'id desc', without: ['password_hash'] },
  { table: 'ledger.balances', owner: 'owner_id', order: 'asset_id' },
  { table: 'ledger.postings', owner: 'owner_id', order: 'id desc' },
  { table: 'orders', order: 'id desc' },
  { table: 'liability_leaves', order: 'date desc, asset_id' },
  { table: 'customer_results', order: 'month desc, asset_id' },
  { table: 'deposit_requests', order: 'id desc', without: ['edited_by', 'claimed_by', 'claimed_until'] },
  { table: 'deposit_references', order: 'number desc' },
  { table: 'chain_customers', order: 'number' },
  {
    table: 'withdrawal_requests',
    order: 'id desc',
    without: ['edited_by', 'claimed_by', 'claimed_until', 'instructions'],
  },
  {
    table: 'corrections',
    joins: 'join (select id, state as status, proposed_at, decided_at from proposals) p using (id)',
    order: 'id desc',
  },
  { table: 'notices', order: 'id desc' },
  { table: 'verifications', order: 'id desc', without: ['claimed_by', 'claimed_at', 'decided_by'] },
  { table: 'verification_events', order: 'id desc', without: ['staff_id'] },
  { table: 'bank_cards', order: 'id desc' },
  { table: 'crypto_addresses', order: 'id desc' },
  { table: 'withdrawal_passwords', order: 'customer_id' },
  { table: 'uploads', order: 'id desc', without: ['file'] },
  { table: 'personal_data_views', order: 'id desc', without: ['staff_id'] },
  {
    table: 'sessions',
    order: 'id desc',
    columns: 'id, customer_id, created_at, last_used_at, fresh_until, user_agent, address',
  },
  { table: 'session_log', order: 'id desc' },
  { table: 'login_events', order: 'id desc' },
  { table: 'customer_second_factors', order: 'id desc' },
  { table: 'recovery_codes', order: 'used_at' },
  { table: 'data_exports', order: 'id desc' },
  { table: 'protected_customers', order: 'customer_id' },
  { table: 'customer_limits', order: 'asset_id' },
  { table: 'protection_events', order: 'id desc' },
  { table: 'account_freezes', order: 'id desc', without: ['staff_id', 'note', 'proposal_id'] },
  { table: 'legal_holds', order: 'id desc' },
  { table: 'price_alerts', order: 'id desc' },
  { table: 'chats', order: 'customer_id', without: ['claimed_by', 'claimed_at'] },
  { table: 'chat_messages', order: 'id desc', without: ['staff_id'] },
  {
    table: 'recovery_requests',
    columns: 'r.*, recovery_state(r) as state, proposed_at, takes_factor',
    joins: `r join (select id as proposal_id, proposed_at, (content ->> 'takesFactor')::boolean as takes_factor from proposals) p
      using (proposal_id)`,
    order: 'id desc',
    without: ['proposal_id', 'decided_by', 'status_hash'],
  },
  { table: 'earning_accounts', order: 'asset_id' },
  { table: 'earning_interest', order: 'day desc' },
];

/** Tables with a customer's number that are not in the file, and why. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  customer_challenges: 'random numbers that lapse within five minutes',
  former_codes: 'hashes of codes, kept for a day to take an account back',
  former_factors: 'secrets of second factors, kept for a day to take an account back',
  former_passwords: 'hashes of passwords, kept for a day to take an account back',
  earning_set_aside: 'that a day of interest waits to be mended; the interest itself is in it',
  proposals: 'of the staff: corrections and calls for help are in it',
  staff_customers: 'of the staff: which of them is also a customer',
  traded_days: 'sums of the orders, which are in it',
  chat_notes: 'what staff say to each other',
  customer_notes: 'what staff say to each other',
  screening_hits: 'what resembled an entry of a list; to tell it could warn whom the list is about',
  vendor_inquiries: 'what a vendor was asked and found, for the same reason',
  flag_tasks: 'that a rule asked staff to look; it changes nothing',
  chat_steps: 'which of the staff worked on a conversation',
  'ledger.practice_resets':
    'how often practice money was set back on the last day it was, for the limit on it',
  order_counts: 'orders of this second, for the limit on them',
  used_keys: 'hashes of keys that requests came with',
};

/** A row's sealed data, opened for its customer. A card's number keeps only its last four digits, as everywhere. */
function opened(keys: KeyRing, table: string, row: Record<string, unknown>): Record<string, unknown> {
  const { sealed } = row;
  if (!Buffer.isBuffer(sealed)) return {};
  const of = { record: String(row.id), customer: String(row.customer_id) };
  switch (table) {
    case 'verifications':
      return { ...openRecord(keys, { table, ...of }, sealed) };
    case 'crypto_addresses':
      return { ...openRecord(keys, { table, ...of }, sealed) };
    case 'chat_messages':
      return { isFromStaff: row.staff_id !== null, ...openRecord(keys, { table, ...of }, sealed) };
    case 'recovery_requests':
      return { ...openRecord(keys, callBinding(of.record), sealed) };
    case 'bank_cards': {
      const { cardNumber: _shownAsLast4, ...card } = openRecord(keys, { table, ...of }, sealed);
      return card;
    }
    default:
      return {};
  }
}

/** Everything stored about a customer, table by table, without hashes, keys and other binary columns. */
export async function readEverything(
  db: Queryable,
  keys: KeyRing,
  customerId: string,
): Promise<Record<string, Kept>> {
  const all: Record<string, Kept> = {};
  for (const { table, joins = '', owner = 'customer_id', order, without = [], columns = '*' } of EXPORTED) {
    const { rows } = await db.query<Record<string, unknown>>(
      `select ${columns} from ${table} ${joins} where ${owner} = $1 order by ${order} limit ${MOST_ROWS + 1}`,
      [customerId],
    );
    all[table] = {
      rows: rows.slice(0, MOST_ROWS).map((row) => ({
        ...Object.fromEntries(
          Object.entries(row).filter(
            ([column, value]) => !without.includes(column) && !Buffer.isBuffer(value),
          ),
        ),
        ...opened(keys, table, row),
      })),
      hasMore: rows.length > MOST_ROWS,
    };
  }
  return all;
}
