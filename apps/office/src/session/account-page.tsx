import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { get, post } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import FactorSection from './factor-section.tsx';
import { OwnCustomerSection } from './own-customer-section.tsx';
import { PasswordForm } from './password-form.tsx';
import css from './session.module.css';

type Session = OfficeData<'session/list'>[number];
const NONE: readonly Session[] = [];
const SESSIONS = ['sessions'];

/** The reader's own sessions, second factors and password. */
export default function AccountPage() {
  const { t } = useText();
  return (
    <div className={`page ${css.sections}`}>
      <h1>{t('page.account')}</h1>
      <SessionSection />
      <FactorSection />
      <div className={`flex items-start wrap gap-16 ${css.forms}`}>
        <OwnCustomerSection />
        <section className={css.section} aria-labelledby="password">
          <header>
            <h2 id="password">{t('session.changePassword')}</h2>
          </header>
          <PasswordForm />
        </section>
      </div>
    </div>
  );
}

function SessionSection() {
  const { t, tag } = useText();
  const sessions = useQuery({ queryKey: SESSIONS, queryFn: ({ signal }) => get('session/list', {}, signal) });
  const form = useForm();
  const end = async (id: string) => {
    await post('session/end', { id });
    await queryClient.invalidateQueries({ queryKey: SESSIONS });
  };
  const columns: Column<Session>[] = [
    {
      id: 'device',
      header: t('session.device'),
      cell: ({ row: { original } }) => (
        <span title={original.userAgent}>{shortAgent(original.userAgent) || t('shell.unknown')}</span>
      ),
    },
    {
      id: 'address',
      header: t('session.address'),
      cell: ({ row }) => row.original.address ?? t('shell.unknown'),
    },
    { id: 'since', header: t('session.since'), cell: ({ row }) => formatTime(row.original.createdAt, tag) },
    {
      id: 'used',
      header: t('session.lastUsed'),
      cell: ({ row }) => formatTime(row.original.lastUsedAt, tag),
    },
    {
      id: 'act',
      header: () => <span className="sr">{t('shell.actions')}</span>,
      cell: ({ row: { original } }) =>
        original.isThis ? (
          t('session.this')
        ) : (
          <Action size="small" disabled={form.isBusy} onClick={() => form.send(() => end(original.id))}>
            {t('session.end')}
          </Action>
        ),
      meta: { isNumber: true },
    },
  ];
  return (
    <section className={css.section} aria-labelledby="sessions">
      <header>
        <h2 id="sessions">{t('session.title')}</h2>
      </header>
      <FormFault text={form.fault} />
      <DataTable
        caption={t('session.title')}
        columns={columns}
        rows={sessions.data ?? NONE}
        idOf={({ id }) => id}
        empty={sessions.isPending ? t('shell.loading') : t('shell.networkError')}
      />
    </section>
  );
}

/** The browser's name from its user agent: the last known name in it. */
function shortAgent(userAgent: string): string {
  const names = userAgent.match(/(Firefox|Edg|OPR|Chrome|Safari)\/\d+/g) ?? [];
  const name = names.find((one) => !/^(Chrome|Safari)/.test(one)) ?? names[0] ?? userAgent.slice(0, 40);
  const system = /\(([^;)]+)/.exec(userAgent)?.[1];
  return system === undefined ? name : `${name.replace('/', ' ')}, ${system}`;
}
