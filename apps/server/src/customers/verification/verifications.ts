import type { Data, Language } from '@fairtick/protocol';
import { call } from '../../platform/db/call.ts';
import { failureOf, type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import {
  type Identity,
  indexOf,
  indicesOf,
  nextRecord,
  openRecord,
  sealRecord,
} from '../../platform/sealing/records.ts';
import type { Uploads } from '../../platform/uploads/uploads.ts';
import { REASONS, type Reason } from '../identity/verification-reasons.ts';

export interface VerificationParts {
  readonly pool: Pool;
  readonly keys: KeyRing;
  readonly uploads: Uploads;
  readonly mode: 'demo' | 'live';
  readonly restrictedRegions: readonly string[];
}

type RealInfo = Data<'realInfo'>;
type RealStatus = RealInfo['realStatus'];

/** The kind of document whose page with the photo has all, so that no back is needed. */
const ONE_PAGE = 'passport';

/**
 * Submits a real name for review.
 * @throws RefusalError when one is under review, verified already, or may not be
 */
export async function submitReal(
  parts: VerificationParts,
  customerId: string,
  form: { identity: Identity; idFront: Uint8Array; idBack: Uint8Array | null },
): Promise<RealStatus> {
  const { pool, keys, uploads } = parts;
  const { idCountry, idNumber, idType, realName } = form.identity;
  // Checked before the pictures, which take a while; the database checks it again.
  refuseStatus(await statusOf(pool, customerId));
  if (parts.mode === 'live' && idCountry === null) throw refusalOf('FORM_INCOMPLETE', 'idCountry');
  if (form.idBack === null && idType !== ONE_PAGE) throw refusalOf('FORM_INCOMPLETE', 'idBack');
  const isRestricted = idCountry !== null && parts.restrictedRegions.includes(idCountry);
  if (isRestricted && parts.mode === 'live') throw refusalOf('REGION_RESTRICTED', 'idCountry');
  await refuseExcluded(parts, customerId, idNumber);
  const front = await uploads.prepare('idFront', form.idFront);
  const back = form.idBack && (await uploads.prepare('idBack', form.idBack));
  await transaction(pool, async (client) => {
    const id = await nextRecord(client);
    const binding = { table: 'verifications', record: id, customer: customerId } as const;
    const frontId = await uploads.store(client, customerId, 'id_front', front);
    const backId = back && (await uploads.store(client, customerId, 'id_back', back));
    const isSubmitted = await call(client, 'verification_submit', {
      id,
      customer: customerId,
      sealed: sealRecord(keys, binding, form.identity),
      documentIndex: indexOf(keys, 'document', idNumber),
      nameIndex: indexOf(keys, 'name', realName),
      restricted: isRestricted,
      front: frontId,
      back: backId,
    });
    if (!isSubmitted) {
      refuseStatus(await statusOf(client, customerId));
      throw new RefusalError('NOT_READY');
    }
  }).catch((error: unknown) => {
    // The exclusion began while the pictures were prepared.
    throw failureOf(error) === 'DOCUMENT_EXCLUDED' ? documentExcluded() : error;
  });
  return 'pending';
}

/**
 * Refuses the document of a person who is self-excluded under another account. A call of its own, so that the account stays closed
 * after the refusal; it uses the index under every key, which verification_submit does not have.
 */
async function refuseExcluded(
  { pool, keys }: VerificationParts,
  customerId: string,
  idNumber: string,
): Promise<void> {
  const documents = indicesOf(keys, 'document', idNumber);
  if (await call(pool, 'document_refused', { customer: customerId, documents })) throw documentExcluded();
}

const documentExcluded = () => refusalOf('DOCUMENT_EXCLUDED', 'idNumber');

async function statusOf(db: Queryable, customerId: string): Promise<RealStatus> {
  const { rows } = await db.query<{ real_status: RealStatus }>(
    'select real_status from customers where id = $1',
    [customerId],
  );
  return rows[0]?.real_status ?? 'none';
}

function refuseStatus(status: RealStatus): void {
  if (status === 'pending') throw new RefusalError('REAL_PENDING');
  if (status === 'verified') throw new RefusalError('REAL_VERIFIED');
}

/** Data that a customer need not enter again for the next try. The document's number is not shown once it was sent. */
function keptOf(keys: KeyRing, customer: string, record: string, sealed: Buffer): RealInfo['kept'] {
  const { idNumber: _number, ...kept } = openRecord(
    keys,
    { table: 'verifications', record, customer },
    sealed,
  );
  return kept;
}

/** The state of a customer's verification, with advice when it failed. */
export async function readRealInfo(
  { pool: db, keys }: Pick<VerificationParts, 'pool' | 'keys'>,
  customerId: string,
  language: Language,
): Promise<RealInfo> {
  const realStatus = await statusOf(db, customerId);
  const { rows } = await db.query<{
    id: string;
    sealed: Buffer | null;
    submitted_at: Date;
    decided_at: Date | null;
    reason: Reason | null;
    note: string | null;
    is_restricted_country: boolean;
    documents: RealInfo['documents'];
  }>(
    `select id, sealed, submitted_at, decided_at, reason, note, is_restricted_country,
       (select coalesce(json_agg(json_build_object('id', u.id::text, 'purpose', u.purpose, 'width', u.width, 'height', u.height)
          order by u.purpose desc), '[]')
        from uploads u where u.id in (v.front_id, v.back_id) and u.file is not null) as documents
     from verifications v where customer_id = $1 order by id desc limit 1`,
    [customerId],
  );
  const last = rows[0];
  const reason = realStatus === 'failed' ? (last?.reason ?? null) : null;
  return {
    realStatus,
    submittedAt: last?.submitted_at.getTime() ?? null,
    decidedAt: last?.decided_at?.getTime() ?? null,
    reason,
    reasonText: reason && REASONS[reason][language],
    note: realStatus === 'failed' ? (last?.note ?? null) : null,
    isRestricted: last?.is_restricted_country ?? false,
    kept: realStatus === 'failed' && last?.sealed ? keptOf(keys, customerId, last.id, last.sealed) : null,
    documents: last?.documents ?? [],
  };
}
