import type { OfficeData, payoutOperations } from '@fairtick/protocol/office';
import { bitcoinChange, mostFeeOf, type PayoutBatch } from '@fairtick/protocol/payout-file';
import { formatUnits } from 'viem';
import { isPaying } from '../../config/chains-file.ts';
import { recordView } from '../../customers/personal-data/views.ts';
import { transaction } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { ms, who } from '../../platform/office-queries.ts';
import { psbtOf } from '../chains/bitcoin-payouts.ts';
import { ofChain } from '../chains/chain-deposits.ts';
import {
  type BatchParts,
  countWaiting,
  payableAddress,
  prepareBatch,
  readBatch,
  replaceBatch,
  signBatch,
} from './payout-batches.ts';

type Batch = OfficeData<'payout/list'>['items'][number];
type Output = OfficeData<'payout/detail'>['outputs'][number];
/** Decimals of the chain's own coin. */
const COIN = { evm: 18, bitcoin: 8, tron: 6 } as const;

/** The payouts of a batch `r`; none before it is approved. */
const PAYOUTS = `jsonb_array_elements(r.content -> 'outputs') o join payout_batches d on d.id = r.id
  join payouts p on (p.chain, p.address, p.nonce) = (d.chain, d.content ->> 'from', (o ->> 'nonce')::bigint)`;
const BATCH = {
  columns: `r.state as status, r.content ->> 'chain' as chain, r.content ->> 'network' as network,
    encode(r.content_hash, 'hex') as content, jsonb_array_length(r.content -> 'outputs') as count,
    (r.content -> 'cancels')::boolean as cancels, nullif(r.content ->> 'replaces', '') as replaces,
    (select n.id::text from payout_batches n where n.replaces = r.id) as "replacedBy",
    ${who('b.signed_by')} as "signedBy", ${ms('b.signed_at')} as "signedAt",
    (r.content ->> 'expiration')::float8 as "expiresAt", b.expired_at is not null as "isExpired",
    coalesce((select jsonb_object_agg(s.state, s.count) from (select p.state, count(*) from ${PAYOUTS} group by 1) s), '{}') as states`,
  joins: 'left join payout_batches b on b.id = r.id',
};

/** Batches of payouts: two people agree to each, the key signs it offline, and the role `chain` sends it. */
export function payoutOfficeHandlers(parts: BatchParts): OfficeHandlers<keyof typeof payoutOperations> {
  const { pool, chains } = parts;
  const proposals = new OfficeProposals<Batch>(pool, ['payout_batch'], BATCH);
  return {
    'payout/chains': () =>
      Promise.all(
        chains.filter(isPaying).map(async ({ payouts: { address }, ...chain }) => ({
          chain: chain.chain,
          network: chain.network,
          address,
          waiting: await countWaiting(pool, chain),
          isReady:
            (
              await pool.query('select from payout_accounts where chain = $1 and address = $2', [
                chain.chain,
                address,
              ])
            ).rowCount === 1,
        })),
      ),
    'payout/list': (filter) => proposals.list(filter),
    'payout/detail': async ({ id }, { session }) => {
      const batch = await proposals.read(id);
      if (!batch) throw new RefusalError('REQUEST_NOT_FOUND');
      return { ...batch, ...(await readOutputs(parts, session.staffId, id)) };
    },
    'payout/prepare': ({ chain }, { session, language }) =>
      prepareBatch(parts, { staffId: session.staffId, name: chain, language }),
    'payout/replace': async ({ id, how }, { session }) => ({
      id: await replaceBatch(parts, { staffId: session.staffId, id, cancels: how === 'cancel' }),
    }),
    'payout/decide': async ({ id, content, verdict }, { session }) => {
      if (verdict === 'agree') {
        await demandAddresses(parts, id);
        const seen = { content: Buffer.from(content, 'hex') };
        return { status: await proposals.approve(session.staffId, id, seen) };
      }
      await proposals.refuse(session.staffId, id);
      return { status: 'refused' };
    },
    'payout/file': async ({ id }) => {
      const read = await readBatch(pool, id);
      const psbt = read.batch.kind === 'bitcoin' ? { psbt: psbtOf(read.batch) } : {};
      const file = JSON.stringify({ ...read, ...psbt }, null, 2);
      return new OfficeFile('application/json', Buffer.from(file), `payouts-${id}.json`);
    },
    'payout/sign': ({ id, file }, { session }) => signBatch(parts, { staffId: session.staffId, id, file }),
  };
}

const contentOf = async ({ pool }: BatchParts, id: string): Promise<PayoutBatch> => {
  const { rows } = await pool.query<{ content: PayoutBatch }>(
    `select content from proposals where kind = 'payout_batch' and id = $1`,
    [id],
  );
  if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
  return rows[0].content;
};

/** @throws RefusalError where an address may not be paid any more. A replacement pays what was agreed before. */
async function demandAddresses(parts: BatchParts, id: string): Promise<void> {
  const batch = await contentOf(parts, id);
  const chain = parts.chains.find((one) => one.chain === batch.chain);
  if (!chain || !isPaying(chain)) throw new RefusalError('REQUEST_NOT_FOUND');
  if (batch.replaces !== '') return;
  for (const { withdrawal, to } of batch.outputs)
    if ((await payableAddress(parts, chain, withdrawal)) !== to) throw new RefusalError('CONTENT_CHANGED');
}

/** Records the view of each address in the transaction that reads it, before it is shown. */
async function readOutputs(
  parts: BatchParts,
  staffId: string,
  id: string,
): Promise<Pick<OfficeData<'payout/detail'>, 'from' | 'change' | 'mostFee' | 'outputs'>> {
  const batch = await contentOf(parts, id);
  const rows = await transaction(parts.pool, async (client) => {
    const found = await client.query<
      Pick<Output, 'nonce' | 'state' | 'reason' | 'txid'> & { customerId: string; subjectId: string }
    >(
      `select o ->> 'nonce' as nonce, p.state, p.reason, coalesce(p.txid, s.txid) as txid,
         w.customer_id::text as "customerId", w.destination_id::text as "subjectId"
       from proposals r cross join jsonb_array_elements(r.content -> 'outputs') with ordinality e (o, place)
       join withdrawal_requests w on w.id = (o ->> 'withdrawal')::bigint
       left join payout_batches b on b.id = r.id
       left join payouts p on (p.chain, p.address, p.nonce) = (b.chain, b.content ->> 'from', (o ->> 'nonce')::bigint)
       left join payout_signatures s on (s.batch_id, s.payout_id) = (b.id, p.id)
       where r.id = $1 order by place`,
      [id],
    );
    for (const { customerId, subjectId } of found.rows)
      await recordView(client, { staffId, customerId, what: 'address', subjectId });
    return new Map(found.rows.map((row) => [row.nonce, row]));
  });
  const change = batch.kind === 'bitcoin' ? formatUnits(bitcoinChange(batch), COIN.bitcoin) : null;
  return {
    from: batch.kind === 'bitcoin' ? batch.change : batch.from,
    change,
    mostFee: formatUnits(mostFeeOf(batch), COIN[batch.kind]),
    outputs: batch.outputs.map(({ nonce, withdrawal, asset, value, decimals, to, contract }) => {
      const { state = null, reason = null, txid = null } = rows.get(nonce) ?? {};
      const link = txid === null ? null : ofChain(parts.chains, { chain: batch.chain, txid }).link;
      const amount = formatUnits(BigInt(value), Number(decimals));
      return { nonce, withdrawal, asset, amount, to, contract, state, reason, txid, link };
    }),
  };
}
