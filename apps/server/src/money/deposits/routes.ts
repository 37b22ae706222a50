import type { DepositRequest, ErrorCode, Input } from '@fairtick/protocol';
import type { ChainSettings } from '../../config/chains-file.ts';
import { protectionRefusal } from '../../customers/protection/refusals.ts';
import type { LogReader } from '../../market/log/log-reader.ts';
import { boundText, readAmount } from '../../platform/amounts.ts';
import type { Assets } from '../../platform/assets.ts';
import { callRow } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { Line } from '../../platform/fairness/line.ts';
import { type Handlers, RefusalError, refusalOf, type SessionContext } from '../../platform/http/context.ts';
import { amountOf } from '../../platform/office-queries.ts';
import type { Uploads } from '../../platform/uploads/uploads.ts';
import { AddressProofs } from '../chains/address-proofs.ts';
import { readChainDeposits } from '../chains/chain-deposits.ts';
import { type Claim, claimOf, isKnown, once } from '../requests/claim-key.ts';
import { ownRequests } from '../requests/own-requests.ts';
import { findTerms, readChannels } from './channels.ts';

export interface DepositParts {
  readonly pool: Pool;
  readonly assets: Assets;
  readonly uploads: Uploads;
  readonly chains: readonly ChainSettings[];
  readonly reader: LogReader;
}

/** What staff found is theirs to check until it is credited. */
const DEPOSITS = {
  columns: `r.channel_id::text as "channelId", c.network, case r.status when 'success' then ${amountOf('r.found_amount')} end as found,
    case r.status when 'success' then ${amountOf('r.found_amount - r.fee')} end as credited,
    case when r.proof_id is null then split_part(r.evidence, ' ', 1) end as txid, creditor_reference(n.number) as reference`,
  joins:
    'join deposit_channels c on c.id = r.channel_id and c.version = r.channel_version left join deposit_references n on n.request_id = r.id',
};

export function depositHandlers(parts: DepositParts) {
  const { pool } = parts;
  // One at a time, so that a picture that is sent again is recognised and not encoded again.
  const line = new Line(BOUNDS.inOrder);
  const addresses = new AddressProofs({ db: pool, reader: parts.reader, chains: parts.chains });
  const own = ownRequests<DepositRequest>(pool, 'deposit', DEPOSITS);
  return {
    rechargeChannels: (_input, { session }) => readChannels(pool, parts.chains, session.customerId),
    rechargeOnChain: (page, { session }) =>
      readChainDeposits(pool, parts.chains, { ...page, customerId: session.customerId }),
    rechargeAddresses: (_input, { session }) => addresses.of(session.customerId),
    rechargeSubmit: async (input, context) => {
      const claim = claimOf(context);
      await line.take(context.asker, () => submit(parts, input, context, claim));
      return own.submitted(claim.keyHash, context);
    },
    rechargeList: own.list,
    rechargeDetail: own.detail,
    rechargeProof: async ({ id }, { session }) => {
      const { rows } = await pool.query<{ proof_id: string | null }>(
        'select proof_id from deposit_requests where id = $1 and customer_id = $2',
        [id, session.customerId],
      );
      if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
      const { proof_id: proof } = rows[0];
      const picture = proof && (await parts.uploads.read(pool, session.customerId, proof));
      if (!picture) throw new RefusalError('DOCUMENT_NOT_FOUND');
      return picture.thumb;
    },
    rechargeCancel: own.cancel,
  } satisfies Partial<Handlers>;
}

async function submit(
  parts: DepositParts,
  input: Input<'rechargeSubmit'>,
  context: SessionContext,
  claim: Claim,
): Promise<void> {
  const { customerId, tokenHash } = context.session;
  if (await isKnown(parts.pool, customerId, claim)) return;
  const terms = await findTerms(parts.pool, parts.assets, input.channelId);
  if (!terms) throw refusalOf('CHANNEL_NOT_FOUND', 'channelId');
  const { id: channel, asset, min, max } = terms;
  const amount = readAmount(input.amount, asset);
  const picture = await parts.uploads.prepare('proof', input.proof);
  await once(parts.pool, customerId, claim, async (client) => {
    const proof = await parts.uploads.store(client, customerId, 'proof', picture);
    const values = { tokenHash, keyHash: claim.keyHash, channel, amount, proof };
    const { refused } = await callRow<{ refused: ErrorCode | null }>(client, 'deposit_submit', values).catch(
      (error: unknown) => {
        throw protectionRefusal(error, asset) ?? error;
      },
    );
    if (refused === 'DEPOSIT_TOO_SMALL') throw refusalOf(refused, 'amount', { bound: boundText(min, asset) });
    if (refused === 'DEPOSIT_TOO_LARGE') throw refusalOf(refused, 'amount', { bound: boundText(max, asset) });
    if (refused) throw refusalOf(refused, refused === 'CHANNEL_NOT_FOUND' ? 'channelId' : null);
  });
}
