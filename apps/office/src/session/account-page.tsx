import type { OfficeData } from '@fairtick/protocol/office';
import { post } from '../api/client.ts';
import { refresh, useGet } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import FactorSection from './factor-section.tsx';
import { OwnCustomerSection } from './own-customer-section.tsx';
import { PasswordForm } from './password-form.tsx';
import css from './session.module.css';

type Session = OfficeData<'session/list'>[number];

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
  const { t } = useText();
  const form = useForm();
  const end = async (id: string) => {
    await post('session/end', { id });
    await refresh('sessions');
  };
  const columns: Column<Session>[] = [
    {
      header: t('session.device'),
      cell: ({ userAgent }) => <span title={userAgent}>{shortAgent(userAgent) || t('shell.unknown')}</span>,
    },
    { header: t('session.address'), cell: ({ address }) => address ?? t('shell.unknown') },
    { header: t('session.since'), cell: ({ createdAt }) => formatTime(createdAt) },
    { header: t('session.lastUsed'), cell: ({ lastUsedAt }) => formatTime(lastUsedAt) },
    {
      header: t('shell.actions'),
      isUnnamed: true,
      cell: ({ id, isThis }) =>
        isThis ? (
          t('session.this')
        ) : (
          <Action size="small" disabled={form.isBusy} onClick={() => form.send(() => end(id))}>
            {t('session.end')}
          </Action>
        ),
      isNumber: true,
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
        list={useGet(['sessions'], 'session/list')}
        none=""
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
