import { stateText } from '@fairtick/protocol/request-states';
import { Tag } from '@fairtick/ui';
import { useLocation } from 'wouter';
import { ONE_VIEW, type RowOf, usePages } from '../api/queries.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';

type FundEntry = RowOf<'customer/funds'>;

/** `deposit:1000` in words. */
function causeText(ref: string, word: Text['word']): string {
  const [kind = '', id = ''] = ref.split(':');
  return `${word('cause', kind === 'demo' ? 'practice' : kind)} ${id}`;
}

/** An order that is settled with nothing is lost: without a loss, the stake at least returns. */
const isLoss = ({ type, amount }: FundEntry) => type === 'settlement' && /^[-0.]+$/.test(amount);

const isIncome = ({ balance, amount }: Pick<FundEntry, 'balance' | 'amount'>) =>
  balance !== null && !/^[-0.]+$|^-/.test(amount);

/** Money that a withdrawal held and gave back is named as a return. */
export const fundText = (
  entry: Pick<FundEntry, 'type' | 'balance' | 'amount'>,
  word: Text['word'],
): string =>
  entry.type === 'withdrawal' && isIncome(entry)
    ? word('transferKind', 'release')
    : word('fundType', entry.type);

const resultText = (entry: FundEntry, { word, language }: Text): string =>
  isLoss(entry) ? word('result', 'loss') : stateText(entry.result, entry.ending, language);

export function Funds({ id }: { id: string }) {
  const text = useText();
  const { t, word } = text;
  const columns: Column<FundEntry>[] = [
    { header: t('audit.time'), cell: ({ time }) => formatTime(time) },
    { header: t('customer.what'), cell: (entry) => fundText(entry, word) },
    { header: t('staff.state'), cell: (entry) => <Tag>{resultText(entry, text)}</Tag> },
    {
      header: t('review.amount'),
      cell: (entry) => `${isIncome(entry) ? '+' : ''}${withAsset(entry.amount, entry.asset)}`,
      isNumber: true,
    },
    {
      header: t('customer.after'),
      cell: ({ balance }) => (balance === null ? '–' : readable(balance)),
      isNumber: true,
    },
    {
      header: t('customer.cause'),
      cell: ({ ref, order }) =>
        order
          ? `${causeText(ref, word)} · ${order.symbol} · ${t('age.minute', { count: order.minutes })}`
          : causeText(ref, word),
    },
  ];
  return (
    <DataTable
      caption={t('customerPart.funds')}
      columns={columns}
      list={usePages(['look', 'customer', id], 'customer/funds', { id }, ONE_VIEW)}
      none={t('customer.none')}
    />
  );
}

export function Orders({ id }: { id: string }) {
  const { t, word } = useText();
  const [, navigate] = useLocation();
  const columns: Column<RowOf<'customer/orders'>>[] = [
    { header: t('audit.time'), cell: ({ acceptedAt }) => formatTime(acceptedAt) },
    { header: t('staff.number'), cell: (order) => order.id },
    { header: t('customer.product'), cell: ({ symbol }) => <strong>{symbol}</strong> },
    { header: t('customer.direction'), cell: ({ direction }) => word('direction', direction) },
    {
      header: t('customer.cycle'),
      cell: ({ minutes }) => t('age.minute', { count: minutes }),
      isNumber: true,
    },
    { header: t('customer.stake'), cell: ({ amount, asset }) => withAsset(amount, asset), isNumber: true },
    {
      header: t('customer.result'),
      cell: ({ result }) => (result === null ? t('customer.unsettled') : word('result', result)),
    },
    {
      header: t('deposit.credited'),
      cell: ({ credited }) => (credited === null ? '–' : readable(credited)),
      isNumber: true,
    },
  ];
  return (
    <DataTable
      caption={t('customerPart.orders')}
      columns={columns}
      list={usePages(['look', 'customer', id], 'customer/orders', { id }, ONE_VIEW)}
      none={t('customer.none')}
      onOpen={(order) => navigate(`~/orders/${order.id}`)}
    />
  );
}

export function Views({ id }: { id: string }) {
  const { t, word } = useText();
  const columns: Column<RowOf<'customer/views'>>[] = [
    { header: t('audit.time'), cell: ({ time }) => formatTime(time) },
    { header: t('audit.staff'), cell: ({ name }) => name },
    { header: t('customer.what'), cell: ({ what }) => word('viewed', what) },
  ];
  return (
    <DataTable
      caption={t('customerPart.views')}
      columns={columns}
      list={usePages(['look', 'customer', id], 'customer/views', { id }, ONE_VIEW)}
      none={t('customer.none')}
    />
  );
}
