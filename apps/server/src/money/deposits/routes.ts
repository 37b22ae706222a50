import { randomBytes } from 'node:crypto';
import { parseAmount } from '@fairtick/money';
import type { ErrorCode, Input } from '@fairtick/protocol';
import { protectionRefusal } from '../../customers/protection/refusals.ts';
import { boundText } from '../../platform/amounts.ts';
import type { Assets } from '../../platform/assets.ts';
import { type Pool, transaction } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { Line } from '../../platform/fairness/line.ts';
import { type Handlers, RefusalError, type SessionContext } from '../../platform/http/context.ts';
import { readId } from '../../platform/paging.ts';
import { hashInput, hashKey } from '../../platform/request-hashes.ts';
import type { Uploads } from '../../platform/uploads/uploads.ts';
import { type Claim, claimKey, isKnown } from '../requests/claim-key.ts';
import { ownRequests } from '../requests/own-requests.ts';
import { refusalOf } from '../requests/refusals.ts';
import { findTerms, readChannels } from './channels.ts';
import { readDeposits } from './deposits.ts';

export interface DepositParts {
  readonly pool: Pool;
  readonly assets: Assets;
  readonly uploads: Uploads;
}

type DepositEndpoint =
  | 'rechargeChannels'
  | 'rechargeSubmit'
  | 'rechargeList'
  | 'rechargeDetail'
  | 'rechargeProof'
  | 'rechargeCancel';

export function depositHandlers(parts: DepositParts): Pick<Handlers, DepositEndpoint> {
  const { pool, assets } = parts;
  // One at a time, so that a picture that is sent again is recognised and not encoded again.
  const line = new Line(BOUNDS.inOrder);
  const own = ownRequests(pool, 'deposit', (filter, language) =>
    readDeposits(pool, assets, filter, language),
  );
  return {
    rechargeChannels: (_input, { session }) => readChannels(pool, assets, session.customerId),
    rechargeSubmit: async (input, context) => {
      const claim = {
        keyHash: hashKey(context.idempotencyKey ?? randomBytes(16).toString('hex')),
        inputHash: hashInput(context.path, context.fields),
      };
      await line.take(context.asker, () => submit(parts, input, context, claim));
      return own.submitted(claim.keyHash, context);
    },
    rechargeList: own.list,
    rechargeDetail: own.detail,
    rechargeProof: async ({ id }, { session }) => {
      const requestId = readId(id);
      const { rows } = await pool.query<{ proof_id: string }>(
        'select proof_id from deposit_requests where id = $1 and customer_id = $2',
        [requestId ?? 0, session.customerId],
      );
      if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
      const picture = await parts.uploads.read(pool, session.customerId, rows[0].proof_id);
      if (!picture) throw new RefusalError('DOCUMENT_NOT_FOUND');
      return picture.thumb;
    },
    rechargeCancel: own.cancel,
  };
}

async function submit(
  parts: DepositParts,
  input: Input<'rechargeSubmit'>,
  context: SessionContext,
  claim: Claim,
): Promise<void> {
  const { customerId, tokenHash } = context.session;
  if (await isKnown(parts.pool, customerId, claim)) return;
  const terms = await findTerms(parts.pool, parts.assets, readId(input.channelId) ?? 0);
  if (!terms) throw refusalOf('CHANNEL_NOT_FOUND', 'channelId');
  const amount = parseAmount(input.amount, terms.asset.scale);
  if (amount === null) throw refusalOf('INVALID_AMOUNT', 'amount');
  const proof = await parts.uploads.prepare('proof', input.proof);
  await transaction(parts.pool, async (client) => {
    if (!(await claimKey(client, customerId, claim))) return;
    const proofId = await parts.uploads.store(client, customerId, 'proof', proof);
    const { rows } = await client
      .query<{ refused: ErrorCode | null }>(
        SUBMIT.with({ tokenHash, keyHash: claim.keyHash, channel: terms.id, amount, proof: proofId }),
      )
      .catch((error: unknown) => {
        throw protectionRefusal(error, terms.asset) ?? error;
      });
    const refused = rows[0]?.refused;
    // A refusal rolls back the transaction, and with it the key and the picture.
    if (refused === 'DEPOSIT_TOO_SMALL')
      throw refusalOf(refused, 'amount', { bound: boundText(terms.min, terms.asset) });
    if (refused === 'DEPOSIT_TOO_LARGE')
      throw refusalOf(refused, 'amount', { bound: boundText(terms.max, terms.asset) });
    if (refused) throw refusalOf(refused, refused === 'CHANNEL_NOT_FOUND' ? 'channelId' : null);
  });
}

const SUBMIT = new NamedCall('deposit_submit', {
  tokenHash: 'bytea',
  keyHash: 'bytea',
  channel: 'bigint',
  amount: 'bigint',
  proof: 'bigint',
});
