import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../schema');

/**
 * The files of `schema/`, in the order in which their tables can be created. A file has a noun's tables first and its functions
 * after the line {@link FUNCTIONS}. `values` has only functions that tables need, and `rights` all rights of the server's role.
 */
const NOUNS = [
  ...['ledger/movements', 'ledger/house', 'ledger/stakes', 'ledger/earnings', 'ledger/violations'],
  ...['platform/settings', 'platform/leases', 'platform/throttles'],
  'customers/accounts',
  ...['office/staff', 'office/sessions', 'office/acting', 'office/audit-log', 'office/four-eyes'],
  'office/proposals',
  ...['office/staff-changes', 'office/staff-customers', 'office/reports'],
  ...[
    'market/products',
    'market/rules',
    'office/rules-changes',
    'market/states',
    'market/trading-periods',
    'market/candles',
    'market/seeds',
    'market/statistics',
    'market/live-sources',
    'market/signed-updates',
  ],
  ...['log/entries', 'log/fixes', 'log/writer-term', 'log/heads', 'log/witnesses'],
  ...['customers/sessions', 'customers/factors', 'customers/personal-data', 'customers/verification'],
  ...[
    'customers/destinations',
    'customers/withdrawal-passwords',
    'customers/recovery',
    'customers/taking-back',
  ],
  ...[
    'customers/limits',
    'customers/freezes',
    'customers/staff-notes',
    'customers/flag-rules',
    'customers/notices',
  ],
  ...[
    'money/channels',
    'money/withdrawal-terms',
    'money/deposits',
    'money/withdrawals',
    'money/payouts',
    'money/requests',
    'money/legal-holds',
  ],
  ...[
    'money/corrections',
    'money/capital',
    'money/statements',
    'money/reconciliation',
    'money/earning-rates',
    'money/interest',
  ],
  ...['trading/placement', 'trading/bounds', 'trading/settlement', 'trading/halts', 'trading/price-alerts'],
  'log/halts',
  ...['support/chats', 'news/articles', 'transparency/liabilities', 'transparency/statistics'],
] as const;
const FUNCTIONS = '-- ## Functions\n';

/** Part of a schema file that can be applied to any database of the current tables. */
export interface Functions {
  readonly file: string;
  readonly sql: string;
  /** SHA-256 of `sql`, in hexadecimal. */
  readonly hash: string;
}

/** All tables, indexes and first rows, for an empty database: `values`, then the tables of each noun. */
function tablesOfSchema(): string {
  return [read('values'), ...NOUNS.map((noun) => partsOf(noun).tables)].filter(Boolean).join('\n');
}

/** The tables with their name among the applied migrations: another text, comments aside, has another name. */
export function initialTables(): { readonly name: string; readonly sql: string } {
  const sql = tablesOfSchema();
  const text = sql.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ');
  return { name: `0001-initial-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, sql };
}

/** Functions, triggers, views and rights. They are independent of one another, except that `rights` comes last. */
export function functionsOfSchema(): Functions[] {
  const texts = [
    { file: 'values', sql: read('values') },
    ...NOUNS.map((noun) => ({ file: noun, sql: partsOf(noun).functions })),
    { file: 'rights', sql: read('rights') },
  ];
  return texts
    .filter(({ sql }) => sql !== '')
    .map(({ file, sql }) => ({ file, sql, hash: createHash('sha256').update(sql).digest('hex') }));
}

function partsOf(noun: string): { tables: string; functions: string } {
  const [tables = '', functions = ''] = read(noun).split(FUNCTIONS);
  return { tables: tables.trim() === '' ? '' : tables, functions };
}

const read = (file: string): string => readFileSync(join(FOLDER, `${file}.sql`), 'utf8');
