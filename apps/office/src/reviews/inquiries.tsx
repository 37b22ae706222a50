import { Tag } from '@fairtick/ui';
import { Link } from 'wouter';
import { type RowOf, useHas, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';

type Inquiry = RowOf<'screening/inquiries'>;

/** Inquiries at vendors and their answers, of all customers or of one. The office can't change them. */
export function Inquiries({ customerId }: { customerId?: string }) {
  const { t, word } = useText();
  const has = useHas();
  const mayRead = has('verification', 'approver', 'auditor');
  const list = usePages(
    ['screening'],
    'screening/inquiries',
    { customerId },
    { enabled: mayRead, refetchInterval: 5_000 },
  );
  if (!mayRead || (customerId !== undefined && list.rows.length === 0)) return null;
  const customer: Column<Inquiry> = {
    header: t('review.customer'),
    cell: ({ account, customerId: id }) => (
      <Link className="opens" href={`~/customers/${id}`}>
        {account}
      </Link>
    ),
  };
  const columns: Column<Inquiry>[] = [
    { header: t('screening.asked'), cell: ({ askedAt }) => formatTime(askedAt) },
    ...(customerId === undefined ? [customer] : []),
    { header: t('screening.what'), cell: ({ kind }) => word('screeningKind', kind) },
    { header: t('screening.vendor'), cell: ({ vendor }) => vendor },
    {
      header: t('staff.state'),
      cell: ({ state, code }) => (
        <>
          <Tag look={state === 'clear' || state === 'new' || state === 'pending' ? 'plain' : 'bad'}>
            {word('vendorState', state)}
          </Tag>
          {code !== null && <small>{code}</small>}
        </>
      ),
    },
    {
      header: t('screening.answered'),
      cell: ({ answeredAt }) => (answeredAt === null ? t('shell.never') : formatTime(answeredAt)),
    },
    { header: t('screening.case'), cell: (row) => row.case ?? row.reference },
  ];
  return (
    <section className="mt-14">
      <h3>{t('screening.inquiries')}</h3>
      <DataTable
        caption={t('screening.inquiries')}
        columns={columns}
        list={list}
        none={t('screening.noInquiries')}
      />
    </section>
  );
}
