import { createHash } from 'node:crypto';
import { errorMessage, isErrorCode } from '@fairtick/protocol';
import type { Language } from '@fairtick/protocol/languages';
import type { OfficeData } from '@fairtick/protocol/office';
import type { Destinations } from '../../customers/personal-data/destinations.ts';
import { recordView } from '../../customers/personal-data/views.ts';
import { callRow, perform } from '../../platform/db/call.ts';
import { type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { amountOf, ms, who } from '../../platform/office-queries.ts';
import { type BankFile, painFile } from './pain-001.ts';

export interface BankFileParts {
  readonly pool: Pool;
  readonly destinations: Destinations;
}

/** As the database names it. */
type Left = readonly { readonly id: string; readonly reason: string }[];

export interface Asker {
  readonly staffId: string;
  readonly language: Language;
}

const withText = (left: Left, language: Language): OfficeData<'bankFile/take'>['leftOut'] =>
  left.map(({ id, reason }) => ({
    id,
    reason,
    text: isErrorCode(reason) ? errorMessage(reason, language) : reason,
  }));

/**
 * Takes the approved withdrawals of a channel for one file. What its hash is of is written in the same transaction, so that a file
 * that can't be written takes nothing.
 * @throws RefusalError
 */
export async function takeFile(
  parts: BankFileParts,
  { staffId, language }: Asker,
  channel: string,
): Promise<OfficeData<'bankFile/take'>> {
  return transaction(parts.pool, async (client) => {
    const values = { staff: staffId, channel };
    const { file, left_out: leftOut } = await callRow<{ file: string | null; left_out: Left }>(
      client,
      'bank_file_take',
      values,
    );
    if (file !== null) {
      const { bytes } = await writeFile(client, parts.destinations, file);
      await perform(client, 'bank_file_sealed', { staff: staffId, file, hash: hashOf(bytes) });
    }
    return { id: file, leftOut: withText(leftOut, language) };
  });
}

/**
 * The bytes of a file, for the cashier who made it. The view of each destination is recorded first.
 * @throws RefusalError when a payment of it did not go out, or when it can't be written as it was
 */
export async function openFile(parts: BankFileParts, staffId: string, id: string): Promise<Buffer> {
  return transaction(parts.pool, async (client) => {
    await perform(client, 'bank_file_open', { staff: staffId, file: id });
    const { bytes, hash, seen } = await writeFile(client, parts.destinations, id);
    if (hash === null || !hash.equals(hashOf(bytes))) throw new RefusalError('BANK_FILE_OVER');
    for (const { customerId, subjectId } of seen)
      await recordView(client, { staffId, customerId, what: 'bank_card', subjectId });
    return bytes;
  });
}

export const bookFile = async (
  pool: Pool,
  { staffId, language }: Asker,
  id: string,
): Promise<OfficeData<'bankFile/book'>> => {
  const values = { staff: staffId, file: id };
  const { booked, left_out: leftOut } = await callRow<{ booked: number; left_out: Left }>(
    pool,
    'bank_file_book',
    values,
  );
  return { booked, leftOut: withText(leftOut, language) };
};

const hashOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

interface Payment {
  readonly withdrawalId: string;
  readonly endToEnd: string;
  readonly amount: string;
  readonly customerId: string;
  readonly subjectId: string;
}

async function writeFile(
  db: Queryable,
  destinations: Destinations,
  id: string,
): Promise<{ bytes: Buffer; hash: Buffer | null; seen: readonly Payment[] }> {
  const { rows } = await db.query<Omit<BankFile, 'payments'> & { hash: Buffer | null }>(
    `select f.id::text, ${ms('f.made_at')} as "madeAt", a.code as currency, c.bank as payer, f.file_hash as hash,
       (select ${amountOf('sum(p.amount)')} from bank_file_payments p where p.file_id = f.id) as total
     from bank_files f join deposit_channels c on c.id = f.channel_id and c.version = f.channel_version
     join ledger.assets a on a.id = c.asset_id where f.id = $1`,
    [id],
  );
  const [file] = rows;
  if (!file) throw new RefusalError('REQUEST_NOT_FOUND');
  const { rows: seen } = await db.query<Payment>(
    `select w.id::text as "withdrawalId", p.end_to_end as "endToEnd", ${amountOf('p.amount')} as amount,
       w.customer_id::text as "customerId", w.destination_id::text as "subjectId"
     from bank_file_payments p join withdrawal_requests w on w.id = p.withdrawal_id join ledger.assets a on a.id = w.asset_id
     where p.file_id = $1 order by w.id`,
    [id],
  );
  const payments = [];
  for (const { customerId, subjectId, ...payment } of seen) {
    const opened = await destinations.read(db, customerId, subjectId);
    if (opened?.kind !== 'bank') throw new RefusalError('DESTINATION_GONE');
    payments.push({ ...payment, card: opened.card });
  }
  return { bytes: painFile({ ...file, payments }), hash: file.hash, seen };
}

type Row = OfficeData<'bankFile/list'>['items'][number];

/** Newest first. */
export async function readFiles(
  db: Queryable,
  { staffId, language }: Asker,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<Row[]> {
  const { rows } = await db.query<Omit<Row, 'leftOut'> & { leftOut: Left }>(
    `select b.id::text, ${who('b.made_by')} as by, b.made_by = $1 as "isMine", ${ms('b.made_at')} as time,
       b.channel_id::text as "channelId", concat_ws(' · ', c.bank ->> 'holder', c.bank ->> 'accountNumber') as payer, a.code as asset,
       p.*, ${amountOf('s.total')} as total, b.left_out as "leftOut", encode(b.file_hash, 'hex') as sha256
     from bank_files b join deposit_channels c on c.id = b.channel_id and c.version = b.channel_version
     join ledger.assets a on a.id = c.asset_id
     cross join lateral (select sum(p.amount) as total from bank_file_payments p where p.file_id = b.id) s
     cross join lateral (
       select count(*)::int as count, count(*) filter (where w.status = 'sending' and counts)::int as sending,
         count(*) filter (where w.status = 'sending' and counts and exists (select from statement_lines l
           where l.payment_id = p.end_to_end and l.asset_id = w.asset_id and l.amount = -p.amount))::int as "onStatement",
         count(*) filter (where w.status = 'success' and counts)::int as paid, count(*) filter (where not counts)::int as "notSent"
       from bank_file_payments p join withdrawal_requests w on w.id = p.withdrawal_id
       cross join lateral (select w.sending_key is not distinct from p.sending_key as counts) k where p.file_id = b.id
     ) p
     where $2::bigint is null or b.id < $2 order by b.id desc limit $3`,
    [staffId, before, limit],
  );
  return rows.map((row) => ({ ...row, leftOut: withText(row.leftOut, language) }));
}
