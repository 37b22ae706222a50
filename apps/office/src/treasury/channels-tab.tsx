import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import { Copy } from '../shell/code-text.tsx';
import { type Column, DataTable, useEmptyText } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { ProposeChannel } from './propose-channel.tsx';
import {
  type Channel,
  type ChannelChange,
  refreshTreasury,
  useChannelChanges,
  useChannels,
} from './queries.ts';
import css from './treasury.module.css';

type Terms = ChannelChange['terms'];
const NONE: readonly Channel[] = [];

const whereTo = ({ address, bank }: Pick<Terms, 'address' | 'bank'>) =>
  address ?? (bank === null ? '' : [bank.bank, bank.branch, bank.holder, bank.accountNumber].join(' · '));

/** The current channels and the proposed changes. A request keeps the channel's version that it was submitted under. */
export function ChannelsTab() {
  const { t, word, tag } = useText();
  const channels = useChannels();
  const { mayPropose } = useMayDecide();
  /** `null`: a new channel. */
  const [proposing, setProposing] = useState<Channel | null | undefined>(undefined);
  const columns: Column<Channel>[] = [
    { id: 'id', header: t('ledger.number'), cell: ({ row }) => row.original.id, meta: { isNumber: true } },
    {
      id: 'version',
      header: t('channel.version'),
      cell: ({ row }) => row.original.version,
      meta: { isNumber: true },
    },
    ...termColumns<Channel>((row) => row, { t, word }),
    { id: 'since', header: t('session.since'), cell: ({ row }) => formatTime(row.original.since, tag) },
    {
      id: 'act',
      header: () => <span className="sr">{t('shell.actions')}</span>,
      cell: ({ row: { original } }) =>
        mayPropose && (
          <Action size="small" onClick={() => setProposing(original)}>
            {t('staff.change')}
          </Action>
        ),
    },
  ];
  return (
    <>
      <div className="head">
        <p className="secondary measure">{t('channel.text')}</p>
        {mayPropose && <Action onClick={() => setProposing(null)}>{t('channel.new')}</Action>}
      </div>
      <DataTable
        caption={t('channelTab.channels')}
        columns={columns}
        rows={channels.data ?? NONE}
        idOf={({ id }) => id}
        empty={useEmptyText(channels, t('ledger.none'))}
      />
      <Changes />
      <ProposeChannel channel={proposing} onClose={() => setProposing(undefined)} />
    </>
  );
}

function termColumns<Row extends object>(
  termsOf: (row: Row) => Terms,
  { t, word }: Pick<ReturnType<typeof useText>, 't' | 'word'>,
): Column<Row>[] {
  return [
    {
      id: 'asset',
      header: t('review.asset'),
      cell: ({ row }) => <strong>{termsOf(row.original).asset}</strong>,
    },
    {
      id: 'network',
      header: t('channel.network'),
      cell: ({ row }) => word('network', termsOf(row.original).network),
    },
    {
      id: 'to',
      header: t('channel.to'),
      cell: ({ row }) => {
        const terms = termsOf(row.original);
        return terms.address === null ? (
          <code className={css.reason}>{whereTo(terms)}</code>
        ) : (
          <Address address={terms.address} />
        );
      },
    },
    {
      id: 'range',
      header: t('channel.range'),
      cell: ({ row }) => {
        const { min, max } = termsOf(row.original);
        return t('channel.from', { min: readable(min), max: readable(max) });
      },
      meta: { isNumber: true },
    },
    {
      id: 'fee',
      header: t('deposit.fee'),
      cell: ({ row }) => readable(termsOf(row.original).fee),
      meta: { isNumber: true },
    },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row }) => word('state', termsOf(row.original).isEnabled ? 'on' : 'off'),
    },
  ];
}

/** An address with its middle left out, and a button that copies the whole. */
function Address({ address }: { address: string }) {
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

function Changes() {
  const text = useText();
  const columns: Column<ChannelChange>[] = [
    {
      id: 'channel',
      header: text.t('review.channel'),
      cell: ({ row }) => row.original.channelId,
      meta: { isNumber: true },
    },
    ...termColumns<ChannelChange>(({ terms }) => terms, text).filter(({ id }) => id !== 'state'),
  ];
  return (
    <>
      <h2>{text.t('staff.changes')}</h2>
      <ProposalsTable
        list={useChannelChanges()}
        columns={columns}
        action={(change) => <Decide change={change} />}
      />
    </>
  );
}

/** All proposed terms, each beside the current one. */
function Decide({ change }: { change: ChannelChange }) {
  const { t, word } = useText();
  const { id, terms } = change;
  const now = useChannels().data?.find((channel) => channel.id === change.channelId);
  const rows: [string, (of: Terms) => string][] = [
    [t('channel.network'), ({ network }) => word('network', network)],
    [t('channel.to'), whereTo],
    [
      t('channel.range'),
      ({ min, max, asset }) => t('channel.from', { min: readable(min), max: withAsset(max, asset) }),
    ],
    [t('channel.presets'), ({ presets }) => presets.map(readable).join(', ') || t('staff.noRole')],
    [t('deposit.fee'), ({ fee, asset }) => withAsset(fee, asset)],
    [t('staff.state'), ({ isEnabled }) => word('state', isEnabled ? 'on' : 'off')],
  ];
  return (
    <Decision
      proposal={change}
      subject={t('channel.change', { id, channel: change.channelId })}
      approve={t('channel.approve', { asset: terms.asset, network: word('network', terms.network) })}
      decide={(verdict) => post('channel/decide', { id, verdict })}
      refresh={refreshTreasury}
    >
      {rows.map(([name, show]) => (
        <Stated key={name} name={name} value={show(terms)} was={now ? show(now) : null} />
      ))}
    </Decision>
  );
}
