import type { OfficeData } from '@fairtick/protocol/office';
import { stateText } from '@fairtick/protocol/request-states';
import { Tag } from '@fairtick/ui';
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { get } from '../api/client.ts';
import { faultText } from '../api/fault-text.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { ONE_VIEW } from '../reviews/queries.ts';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';

type FundEntry = OfficeData<'customer/funds'>['items'][number];
type CustomerOrder = OfficeData<'customer/orders'>['items'][number];
type View = OfficeData<'customer/views'>['items'][number];

interface Page<Row> {
  readonly items: Row[];
  readonly nextCursor: string | null;
}

/** A paged list of a customer's records. */
export function Paged<Row extends { id: string }>(props: {
  name: string;
  id: string;
  caption: string;
  columns: readonly Column<Row>[];
  onOpen?: (row: Row) => void;
  read: (fields: { id: string; limit: number; cursor: string | undefined }) => Promise<Page<Row>>;
}) {
  const text = useText();
  const { t } = text;
  const pages = useInfiniteQuery<Page<Row>, Error, InfiniteData<Page<Row>>, string[], string | null>({
    queryKey: ['look', 'customer', props.id, props.name],
    queryFn: ({ pageParam }) => props.read({ id: props.id, limit: 50, cursor: pageParam ?? undefined }),
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    ...ONE_VIEW,
  });
  const rows = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  return (
    <>
      <DataTable
        caption={props.caption}
        columns={props.columns}
        rows={rows}
        idOf={({ id }) => id}
        {...(props.onOpen ? { onOpen: props.onOpen } : {})}
        empty={
          pages.isPending
            ? t('shell.loading')
            : pages.isError
              ? faultText(pages.error, text)
              : t('customer.none')
        }
      />
      {pages.hasNextPage && (
        <p className="mt-12 text-center">
          <Action onClick={() => void pages.fetchNextPage()}>{t('shell.more')}</Action>
        </p>
      )}
    </>
  );
}

/** `deposit:1000` in words. */
function causeText(ref: string, word: Text['word']): string {
  const [kind = '', id = ''] = ref.split(':');
  return `${word('cause', kind === 'demo' ? 'practice' : kind)} ${id}`;
}

/** An order that is settled with nothing is lost: without a loss, the stake at least returns. */
const isLoss = ({ type, amount }: FundEntry) => type === 'settlement' && /^[-0.]+$/.test(amount);

const isIncome = ({ balance, amount }: FundEntry) => balance !== null && !/^[-0.]+$|^-/.test(amount);

/** Money that a withdrawal held and gave back is named as a return. */
const typeText = (entry: FundEntry, word: Text['word']): string =>
  entry.type === 'withdrawal' && isIncome(entry)
    ? word('transferKind', 'release')
    : word('fundType', entry.type);

const resultText = (entry: FundEntry, { word, language }: Text): string =>
  isLoss(entry) ? word('result', 'loss') : stateText(entry.result, entry.ending, language);

export function Funds({ id }: { id: string }) {
  const text = useText();
  const { t, word, tag } = text;
  const columns: Column<FundEntry>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.time, tag) },
    { id: 'type', header: t('customer.what'), cell: ({ row }) => typeText(row.original, word) },
    {
      id: 'result',
      header: t('staff.state'),
      cell: ({ row: { original } }) => <Tag>{resultText(original, text)}</Tag>,
    },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row: { original } }) =>
        `${isIncome(original) ? '+' : ''}${withAsset(original.amount, original.asset)}`,
      meta: { isNumber: true },
    },
    {
      id: 'balance',
      header: t('customer.after'),
      cell: ({ row: { original } }) => (original.balance === null ? '–' : readable(original.balance)),
      meta: { isNumber: true },
    },
    {
      id: 'ref',
      header: t('customer.cause'),
      cell: ({ row: { original } }) =>
        original.order
          ? `${causeText(original.ref, word)} · ${original.order.symbol} · ${t('age.minute', { count: original.order.minutes })}`
          : causeText(original.ref, word),
    },
  ];
  return (
    <Paged
      name="funds"
      id={id}
      caption={word('customerPart', 'funds')}
      columns={columns}
      read={(fields) => get('customer/funds', fields)}
    />
  );
}

export function Orders({ id }: { id: string }) {
  const { t, word, tag } = useText();
  const [, navigate] = useLocation();
  const columns: Column<CustomerOrder>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.acceptedAt, tag) },
    { id: 'id', header: t('staff.number'), cell: ({ row }) => row.original.id },
    {
      id: 'symbol',
      header: t('customer.product'),
      cell: ({ row }) => <strong>{row.original.symbol}</strong>,
    },
    {
      id: 'direction',
      header: t('customer.direction'),
      cell: ({ row }) => word('direction', row.original.direction),
    },
    {
      id: 'minutes',
      header: t('customer.cycle'),
      cell: ({ row }) => t('age.minute', { count: row.original.minutes }),
      meta: { isNumber: true },
    },
    {
      id: 'amount',
      header: t('customer.stake'),
      cell: ({ row: { original } }) => withAsset(original.amount, original.asset),
      meta: { isNumber: true },
    },
    {
      id: 'result',
      header: t('customer.result'),
      cell: ({ row: { original } }) =>
        original.result === null ? t('customer.unsettled') : word('result', original.result),
    },
    {
      id: 'credited',
      header: t('deposit.credited'),
      cell: ({ row: { original } }) => (original.credited === null ? '–' : readable(original.credited)),
      meta: { isNumber: true },
    },
  ];
  return (
    <Paged
      name="orders"
      id={id}
      caption={word('customerPart', 'orders')}
      columns={columns}
      onOpen={(order) => navigate(`~/orders/${order.id}`)}
      read={(fields) => get('customer/orders', fields)}
    />
  );
}

export function Views({ id }: { id: string }) {
  const { t, word, tag } = useText();
  const columns: Column<View>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.time, tag) },
    { id: 'staff', header: t('audit.staff'), cell: ({ row }) => row.original.name },
    { id: 'what', header: t('customer.what'), cell: ({ row }) => word('viewed', row.original.what) },
  ];
  return (
    <Paged
      name="views"
      id={id}
      caption={word('customerPart', 'views')}
      columns={columns}
      read={(fields) => get('customer/views', fields)}
    />
  );
}
