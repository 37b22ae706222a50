import type { ChainDeposit } from '@fairtick/protocol';
import type { ChainSettings } from '../../config/chains-file.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';
import { type PageFilter, readPage } from '../../platform/paging.ts';

/** Select list of a chain's deposit `d` with its chain's head `h`, its asset `a`, and its customer's number `n`. */
export const CHAIN_DEPOSIT = `d.id::text, d.chain, a.code as asset, ${amountOf('d.amount')} as amount, d.txid, d.state,
  greatest(0, coalesce(h.head - d.height + 1, 0))::int as confirmations, d.reason,
  case when d.state = 'reverted' and d.request_id is not null and d.taken < d.amount then ${amountOf('d.amount - d.taken')} end as owed,
  d.request_id::text as "requestId", ${ms('d.seen_at')} as "seenAt"`;
export const CHAIN_JOINS = `chain_deposits d join chain_heads h on h.chain = d.chain
  join chain_addresses n on n.chain = d.chain and n.address = d.address
  join chain_customers o on o.number = n.number left join ledger.assets a on a.id = d.asset_id`;

type Row = Omit<ChainDeposit, 'network' | 'link' | 'needed'> & { readonly chain: string };

/** Settings of a deposit's chain. A chain that the file no longer names has no link. */
export function ofChain(chains: readonly ChainSettings[], { chain, txid }: { chain: string; txid: string }) {
  const found = chains.find((one) => one.chain === chain);
  const link =
    found?.explorer?.replace(/\{txid\}|%7Btxid%7D/, encodeURIComponent(txid.split(':')[0] ?? '')) ?? null;
  return { network: found?.network ?? chain, link, needed: found?.confirmations ?? 0 };
}

/** A customer's payments on chains, newest first. Worthless tokens and payments of nothing are not told as money. */
export const readChainDeposits = (
  db: Queryable,
  chains: readonly ChainSettings[],
  { customerId, ...page }: PageFilter & { customerId: string },
) =>
  readPage(page, async (limit) => {
    const { rows } = await db.query<Row>(
      `select ${CHAIN_DEPOSIT} from ${CHAIN_JOINS}
       where o.customer_id = $1 and ($2::bigint is null or d.id < $2) and d.value > 0 and d.asset_id is not null
       order by d.id desc limit $3`,
      [customerId, page.cursor, limit],
    );
    return rows.map(({ chain, ...row }) => ({ ...row, ...ofChain(chains, { chain, txid: row.txid }) }));
  });
