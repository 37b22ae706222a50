import type { identityOperations, OfficeData } from '@fairtick/protocol/office';
import { perform } from '../../platform/db/call.ts';
import { type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers } from '../../platform/office-area.ts';
import { ms } from '../../platform/office-queries.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import { type Finder, indicesOf, openRecord } from '../../platform/sealing/records.ts';
import type { Uploads } from '../../platform/uploads/uploads.ts';
import { REASONS, type Reason } from '../identity/verification-reasons.ts';
import { recordView } from '../personal-data/views.ts';
import { readEvents, readQueue, readReview } from './office-queries.ts';

interface OfficeParts {
  readonly pool: Pool;
  readonly keys: KeyRing;
  readonly uploads: Uploads;
}

type Path = keyof typeof identityOperations;

/** Operations of staff on real names. Each one that shows personal data records first who looks. */
export function identityOfficeHandlers(parts: OfficeParts): OfficeHandlers<Path> {
  const { pool } = parts;
  return {
    'identity/queue': (filter, { session }) => readQueue(parts, session.staffId, filter),
    'identity/detail': ({ id }, { session }) => readDetail(parts, session.staffId, id),
    'identity/document': ({ id, side }, { session }) => readDocument(parts, session.staffId, id, side),
    'identity/claim': async ({ id }, { session }) => {
      await perform(pool, 'verification_claim', { staff: session.staffId, id });
      const { claim } = await readReview(parts, session.staffId, id);
      // The review has lapsed or been decided meanwhile, so it can't be claimed.
      if (!claim) throw new RefusalError('REVIEW_NOT_FOUND');
      return { until: claim.until };
    },
    'identity/release': ({ id }, { session }) =>
      perform(pool, 'verification_release', { staff: session.staffId, id }),
    'identity/decide': async ({ id, verdict, reason, note }, { session }) => {
      const isFailed = verdict === 'failed';
      if (isFailed !== (reason !== undefined)) throw refusalOf('FORM_INCOMPLETE', 'reason');
      if (reason === 'other' && note === undefined) throw refusalOf('FORM_INCOMPLETE', 'note');
      return perform(pool, 'verification_decide', { staff: session.staffId, id, reason, note });
    },
    'identity/reasons': async () =>
      (Object.keys(REASONS) as Reason[]).map((reason) => ({ reason, ...REASONS[reason] })),
    'customer/find': ({ by, text }, { session }) => find(parts, session.staffId, by, text),
  };
}

async function readDetail(
  { pool, keys }: Pick<OfficeParts, 'pool' | 'keys'>,
  staffId: string,
  id: string,
): Promise<OfficeData<'identity/detail'>> {
  const review = await readReview({ pool, keys }, staffId, id);
  const { customerId } = review;
  await recordView(pool, { staffId, customerId, what: 'identity', subjectId: id });
  const { rows } = await pool.query<{ sealed: Buffer | null; has_back: boolean }>(
    'select sealed, back_id is not null as has_back from verifications where id = $1',
    [id],
  );
  const sealed = rows[0]?.sealed ?? null;
  const binding = { table: 'verifications', record: id, customer: customerId } as const;
  return {
    ...review,
    identity: sealed && openRecord(keys, binding, sealed),
    hasBack: rows[0]?.has_back ?? false,
    events: await readEvents(pool, id),
  };
}

async function readDocument(
  { pool, uploads }: OfficeParts,
  staffId: string,
  id: string,
  side: 'front' | 'back',
): Promise<OfficeFile> {
  const { rows } = await pool.query<{ customer_id: string; upload: string | null }>(
    `select customer_id, case $2 when 'front' then front_id else back_id end as upload from verifications where id = $1`,
    [id, side],
  );
  const row = rows[0];
  if (!row) throw new RefusalError('REVIEW_NOT_FOUND');
  if (row.upload === null) throw new RefusalError('DOCUMENT_NOT_FOUND');
  const what = side === 'front' ? 'id_front' : 'id_back';
  await recordView(pool, { staffId, customerId: row.customer_id, what, subjectId: row.upload });
  const picture = await uploads.read(pool, row.customer_id, row.upload);
  if (!picture) throw new RefusalError('DOCUMENT_NOT_FOUND');
  return new OfficeFile('image/jpeg', picture.full);
}

const MAX_FOUND = 50;
type By = 'account' | 'id' | 'name' | 'document' | 'card' | 'address';

/** The queries that find sealed data by its blind index. */
const SEALED: Readonly<Record<Exclude<By, 'account' | 'id'>, readonly [Finder, string]>> = {
  name: ['name', 'select customer_id from verifications where name_index = any ($1)'],
  document: ['document', 'select customer_id from verifications where document_index = any ($1)'],
  card: ['card', 'select customer_id from bank_cards where number_index = any ($1)'],
  address: ['address', 'select customer_id from crypto_addresses where address_index = any ($1)'],
};

async function find(
  { pool, keys }: OfficeParts,
  staffId: string,
  by: By,
  text: string,
): Promise<OfficeData<'customer/find'>> {
  if (by === 'account') return customers(pool, 'lower(account) = lower($1)', text);
  if (by === 'id') return /^\d{1,18}$/.test(text) ? customers(pool, 'id = $1', text) : [];
  const [finder, search] = SEALED[by];
  return transaction(pool, async (client) => {
    const found = await customers(client, `id in (${search})`, indicesOf(keys, finder, text));
    // A match tells the member of staff who owns a document, card or address, so it counts as a view.
    for (const { id } of found) await recordView(client, { staffId, customerId: id, what: 'search' });
    return found;
  });
}

async function customers(
  db: Queryable,
  condition: string,
  value: string | Buffer[],
): Promise<OfficeData<'customer/find'>> {
  const { rows } = await db.query<OfficeData<'customer/find'>[number]>(
    `select id::text, account, nickname, real_status as "realStatus", level,
       ${ms('created_at')} as "createdAt"
     from customers where ${condition} order by customers.id limit ${MAX_FOUND}`,
    [value],
  );
  return rows;
}
