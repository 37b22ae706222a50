import { post } from '../api/client.ts';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { columnsOf, type Field, Proposals } from '../proposals/proposals.tsx';
import { Copy } from '../shell/code-text.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { ProposeChannel } from './propose-channel.tsx';
import { type Channel, refreshTreasury, useChannelChanges, useChannels } from './queries.ts';
import css from './treasury.module.css';

type Terms = ReturnType<typeof useChannelChanges>['rows'][number]['terms'];

const whereTo = ({ address, bank }: Pick<Terms, 'address' | 'bank'>) =>
  address ?? (bank === null ? '' : [bank.bank, bank.branch, bank.holder, bank.accountNumber].join(' · '));

/** The terms of a channel; its state is a column of the current channels alone. */
function useFields(): readonly Field<Terms>[] {
  const { t, word } = useText();
  return [
    { label: t('review.asset'), column: ({ asset }) => <strong>{asset}</strong> },
    { label: t('channel.network'), show: ({ network }) => word('network', network) },
    { label: t('channel.to'), show: whereTo, column: (terms) => <Destination terms={terms} /> },
    {
      label: t('channel.range'),
      show: ({ min, max, asset }) => t('channel.from', { min: readable(min), max: withAsset(max, asset) }),
      column: ({ min, max }) => t('channel.from', { min: readable(min), max: readable(max) }),
      isNumber: true,
    },
    {
      label: t('channel.presets'),
      show: ({ presets }) => presets.map(readable).join(', ') || t('staff.noRole'),
      column: false,
    },
    {
      label: t('deposit.fee'),
      show: ({ fee, asset }) => withAsset(fee, asset),
      column: ({ fee }) => readable(fee),
      isNumber: true,
    },
    {
      label: t('staff.state'),
      show: ({ isEnabled }) => word('state', isEnabled ? 'on' : 'off'),
      column: false,
    },
  ];
}

/** The current channels and the proposed changes. A request keeps the channel's version that it was submitted under. */
export function ChannelsTab() {
  const { t, word } = useText();
  const channels = useChannels();
  const has = useHas();
  const fields = useFields();
  const columns: Column<Channel>[] = [
    { header: t('ledger.number'), cell: ({ id }) => id, isNumber: true },
    { header: t('channel.version'), cell: ({ version }) => version, isNumber: true },
    ...columnsOf(fields),
    { header: t('staff.state'), cell: ({ isEnabled }) => word('state', isEnabled ? 'on' : 'off') },
    { header: t('session.since'), cell: ({ since }) => formatTime(since) },
    {
      header: t('shell.actions'),
      isUnnamed: true,
      cell: (channel) => has('cashier') && <ProposeChannel channel={channel} />,
    },
  ];
  return (
    <>
      <div className="head">
        <p className="secondary measure">{t('channel.text')}</p>
        {has('cashier') && <ProposeChannel />}
      </div>
      <DataTable
        caption={t('channelTab.channels')}
        columns={columns}
        list={channels}
        none={t('ledger.none')}
      />
      <Changes fields={fields} channels={channels.data} />
    </>
  );
}

function Destination({ terms }: { terms: Terms }) {
  const { address } = terms;
  if (address === null) return <code className={css.reason}>{whereTo(terms)}</code>;
  return (
    <span className="inline-row gap-4">
      <code title={address}>{shortened(address)}</code>
      <Copy text={address} />
    </span>
  );
}

const SHOWN_AT_ENDS = 8;
/** An address as people compare it, by its beginning and its end. */
const shortened = (address: string): string =>
  address.length <= 2 * SHOWN_AT_ENDS + 1
    ? address
    : `${address.slice(0, SHOWN_AT_ENDS)}…${address.slice(-SHOWN_AT_ENDS)}`;

function Changes(props: { fields: readonly Field<Terms>[]; channels: readonly Channel[] | undefined }) {
  const { t, word } = useText();
  const changes = useChannelChanges();
  const rows = changes.rows.map(({ terms, ...change }) => ({ ...change, ...terms }));
  type Change = (typeof rows)[number];
  const channel: Field<Change> = {
    label: t('review.channel'),
    column: ({ channelId }) => channelId,
    isNumber: true,
  };
  return (
    <>
      <h2>{t('staff.changes')}</h2>
      <Proposals
        list={{ ...changes, rows }}
        fields={[channel, ...props.fields]}
        now={({ channelId }) => props.channels?.find(({ id }) => id === channelId)}
        decision={({ id, channelId, asset, network }) => ({
          subject: t('channel.change', { id, channel: channelId }),
          approve: t('channel.approve', { asset, network: word('network', network) }),
          decide: (verdict) => post('channel/decide', { id, verdict }),
          refresh: refreshTreasury,
        })}
      />
    </>
  );
}
