import { Link } from 'wouter';
import { type RowOf, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Copy } from '../shell/code-text.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';

type Payment = RowOf<'deposit/onChain'>;
const LIVE = { refetchInterval: 5_000 };
const ENDS = 10;

/** Payments on chains that need staff: no deposit came of them, they wait, or the chain dropped them after the credit. */
export function OnChainTab() {
  const { t, word } = useText();
  const columns: Column<Payment>[] = [
    { header: t('audit.time'), cell: ({ seenAt }) => formatTime(seenAt) },
    {
      header: t('review.customer'),
      cell: ({ account, customerId }) => (
        <Link className="opens" href={`~/customers/${customerId}`}>
          {account}
        </Link>
      ),
    },
    {
      header: t('review.amount'),
      cell: ({ asset, amount, value, contract }) => (
        <>
          {asset === null || amount === null ? value : withAsset(amount, asset)}
          {asset === null && <small>{contract}</small>}
        </>
      ),
      isNumber: true,
    },
    { header: t('channel.network'), cell: ({ network }) => word('network', network) },
    {
      header: t('staff.state'),
      cell: ({ state, reason, owed, asset }) => (
        <>
          {word('chainState', state)}
          {reason !== null && <small>{word('chainReason', reason)}</small>}
          {owed !== null && asset !== null && (
            <small>{t('onChain.owed', { amount: withAsset(owed, asset) })}</small>
          )}
        </>
      ),
    },
    {
      header: t('onChain.transaction'),
      cell: ({ txid, link }) => (
        <span className="inline-row gap-4">
          <a href={link ?? undefined} target="_blank" rel="noopener noreferrer nofollow">
            <code title={txid}>{`${txid.slice(0, ENDS)}…`}</code>
          </a>
          <Copy text={txid} />
        </span>
      ),
    },
  ];
  return (
    <>
      <p className="secondary measure">{t('onChain.text')}</p>
      <DataTable
        caption={t('channelTab.onChain')}
        columns={columns}
        list={usePages(['treasury'], 'deposit/onChain', {}, LIVE)}
        none={t('onChain.none')}
      />
    </>
  );
}
