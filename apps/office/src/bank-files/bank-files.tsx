import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { type RowOf, useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Copy } from '../shell/code-text.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { refreshTreasury, useBankFiles, useChannels } from '../treasury/queries.ts';

type File = RowOf<'bankFile/list'>;

/** Letters shown of a hash: enough to tell two apart. */
const HASH_LETTERS = 8;

/** Files of payments for a bank: approved withdrawals are taken together, downloaded, and booked by the bank's statement. */
export function BankFiles() {
  const { t } = useText();
  const has = useHas();
  const columns: Column<File>[] = [
    { header: t('ledger.number'), cell: ({ id }) => id, isNumber: true },
    {
      header: t('reconciliation.by'),
      cell: ({ by, time }) => (
        <span>
          {by.name}
          <br />
          <span className="note">{formatTime(time)}</span>
        </span>
      ),
    },
    { header: t('bankFile.payer'), cell: ({ payer }) => payer },
    { header: t('bankFile.count'), cell: ({ count }) => count, isNumber: true },
    { header: t('bankFile.total'), cell: ({ total, asset }) => withAsset(total, asset), isNumber: true },
    { header: t('staff.state'), cell: (file) => <State file={file} /> },
    { header: t('bankFile.leftOut'), cell: ({ leftOut }) => <LeftOut of={leftOut} /> },
    {
      header: t('reports.hash'),
      cell: ({ sha256 }) => (
        <>
          <code>{sha256.slice(0, HASH_LETTERS)}…</code> <Copy text={sha256} />
        </>
      ),
    },
    {
      header: t('shell.actions'),
      isUnnamed: true,
      cell: (file) => file.isMine && has('cashier') && <Actions file={file} />,
    },
  ];
  return (
    <>
      {has('cashier') && (
        <div className="row">
          <Take />
        </div>
      )}
      <DataTable
        caption={t('statement.files')}
        columns={columns}
        list={useBankFiles()}
        none={t('bankFile.none')}
      />
    </>
  );
}

function Take() {
  const { t } = useText();
  const channels = (useChannels().data ?? []).filter(({ bank, isEnabled }) => bank !== null && isEnabled);
  const nameOf = (id: string) => {
    const channel = channels.find((one) => one.id === id);
    return [channel?.asset, channel?.bank?.holder, channel?.bank?.accountNumber].filter(Boolean).join(' · ');
  };
  return (
    <FormAction
      label={t('bankFile.take')}
      values={{ id: channels[0]?.id ?? '' }}
      inputs={() => [
        <p key="text">{t('bankFile.takeText')}</p>,
        { name: 'id', label: t('bankFile.payer'), choices: channels.map(({ id }) => id), nameOf },
      ]}
      send={({ id }) => post('bankFile/take', { id })}
      refresh={refreshTreasury}
      submit={t('bankFile.take')}
      done={({ id, leftOut }) =>
        id === null ? t('bankFile.nothing', { count: leftOut.length }) : t('bankFile.taken', { id })
      }
    />
  );
}

function State({ file: { sending, onStatement, paid, notSent } }: { file: File }) {
  const { t } = useText();
  return (
    <span className="flex-column items-start">
      {sending > 0 && <span>{t('bankFile.sending', { count: sending, found: onStatement })}</span>}
      {paid > 0 && <span>{t('bankFile.paid', { count: paid })}</span>}
      {notSent > 0 && <span>{t('bankFile.notSent', { count: notSent })}</span>}
    </span>
  );
}

function LeftOut({ of }: { of: File['leftOut'] }) {
  return (
    <span className="flex-column items-start">
      {of.map(({ id, text }) => (
        <span key={id}>
          <Link className="opens" href={`~/withdrawals/${id}`}>
            {id}
          </Link>{' '}
          <span className="caption">{text}</span>
        </span>
      ))}
    </span>
  );
}

function Actions({ file: { id, sending, onStatement, notSent } }: { file: File }) {
  const { t } = useText();
  return (
    <span className="flex-column items-start gap-4">
      {sending > 0 && notSent === 0 && (
        <a className="link" href={`/api/bankFile/file?${new URLSearchParams({ id })}`} download="">
          {t('reports.fetch')}
        </a>
      )}
      {onStatement > 0 && (
        <FormAction
          label={t('bankFile.book')}
          button={{ size: 'small' }}
          values={{}}
          inputs={() => [<p key="ask">{t('bankFile.bookText', { count: onStatement })}</p>]}
          send={() => post('bankFile/book', { id })}
          refresh={refreshTreasury}
          submit={t('bankFile.book')}
          done={({ booked, leftOut }) =>
            [t('bankFile.booked', { count: booked }), ...leftOut.map((one) => `${one.id}: ${one.text}`)].join(
              ' · ',
            )
          }
        />
      )}
    </span>
  );
}
