import type { Queryable } from '../../platform/db/database.ts';

/**
 * Reports what `npm run admin -- audit --log` has checked and what it leaves to others, because a plain "ok" suggests that
 * everything was checked. Counts are of the audited snapshot.
 */
export async function scopeOfAudit(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<Record<keyof typeof COUNTS, string>>(
    `select ${Object.entries(COUNTS)
      .map(([name, sql]) => `(${sql})::text as "${name}"`)
      .join(', ')}`,
  );
  const counts = rows[0] as (typeof rows)[number];
  const say = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof COUNTS) => counts[name]);
  const isThere = ({ of }: NotLookedAt) => of === undefined || counts[of] !== '0';
  return [
    ...LOOKED_AT.map((text) => `looked at      ${say(text)}`),
    ...NOT_LOOKED_AT.filter(isThere).map(({ what, how }) => `NOT looked at  ${say(what)}: ${how}`),
  ];
}

const FIRST_ROW = 'select coalesce(min(index), (select size from log_head)) from log_entries';

const COUNTS = {
  entries: 'select size from log_head',
  /** Entries only in the archive, so they have no rows whose numbers and times could be compared. */
  archived: FIRST_ROW,
  olderCheckpoints: 'select greatest(count(*) - 1, 0) from log_checkpoints',
  cosignatures: 'select count(*) from log_cosignatures',
  orders: 'select count(*) from orders',
  settled: 'select count(*) from order_results',
  batches: 'select count(*) from order_batches',
  transfers: 'select count(*) from ledger.transfers',
  auditEntries: 'select count(*) from audit_log',
  candles: 'select count(*) from candles',
  pictures: 'select count(*) from uploads where file is not null',
  sealed: `select (select count(*) from verifications) + (select count(*) from bank_cards) + (select count(*) from crypto_addresses)
    + (select count(*) from chat_messages) + (select count(*) from chat_notes)`,
  days: 'select count(*) from liability_days',
  paid: `select count(*) from withdrawal_requests where status = 'success'`,
} as const;

const LOOKED_AT = [
  '{entries} entries of the log, hashed from their texts, from the first to the head; {archived} of them only the archive has',
  '{transfers} transfers of the ledger with their postings, {orders} orders in {batches} batches, {settled} of them settled again from the log, {auditEntries} entries of the office’s audit log',
];

interface NotLookedAt {
  readonly what: string;
  readonly how: string;
  /** Reported only when this count is not zero. */
  readonly of?: keyof typeof COUNTS;
}

const MONITOR = '`npm run fairtick -- monitor URL --key KEY`, from another machine';

const NOT_LOOKED_AT: readonly NotLookedAt[] = [
  { what: 'the signature of the newest checkpoint', how: MONITOR },
  {
    of: 'olderCheckpoints',
    what: 'the signatures of {olderCheckpoints} older checkpoints (their roots were compared)',
    how: 'whoever kept one compares it with the log, as monitors and receipts do',
  },
  {
    of: 'cosignatures',
    what: '{cosignatures} cosignatures of witnesses',
    how: 'each witness, by its own key',
  },
  {
    of: 'archived',
    what: 'numbers and times of the {archived} entries that only the archive has (they were hashed)',
    how: MONITOR,
  },
  {
    of: 'candles',
    what: '{candles} candles',
    how: 'nothing is decided by them; the log’s entries are what counts',
  },
  {
    of: 'days',
    what: 'whether {days} daily totals of what is owed were right on their day',
    how: 'the office’s page of liabilities, and each customer with `npm run fairtick -- owed`',
  },
  {
    of: 'paid',
    what: 'whether the bank or the chain has {paid} payouts and what was deposited',
    how: 'the bank’s statements, imported in the office',
  },
  {
    of: 'sealed',
    what: 'what is sealed in {sealed} records',
    how: '`npm run admin -- rotate-keys` opens every one and names those that do not open',
  },
  {
    of: 'pictures',
    what: '{pictures} pictures in the file store',
    how: 'the same command; each has its hash in the table `uploads`',
  },
  {
    what: 'what others were shown earlier under this log’s name',
    how: 'monitors and witnesses, who remember it',
  },
  { what: 'backups', how: '`npm run admin -- restore` into another folder, then this command there' },
];
