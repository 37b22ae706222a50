import type { Data } from '@fairtick/protocol';
import { deviceOf } from '@fairtick/protocol/device-name';
import { Button, FaultIcon, Tag } from '@fairtick/ui';
import { useState } from 'react';
import css from '../account/account.module.css';
import { PasswordForm } from '../account/mine-forms.tsx';
import { get, post } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { Listed, Loaded } from '../parts/loaded.tsx';
import { pageOf } from '../parts/page.tsx';
import { usePages } from '../parts/pages.ts';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { useForm } from '../parts/use-form.ts';
import { Waiting } from '../parts/waiting.tsx';
import { formatDateTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import own from './security.module.css';

/** `/devices`: the customer's sessions with a way to end each, and recent logins and failed tries. */
export default pageOf('security', Devices);

type Device = Data<'sessions'>[number];
type Logins = Data<'logins'>;

function nameOf(device: string, t: Text['t']): string {
  const { browser, system } = deviceOf(device);
  if (browser === null) return system ?? t('devices.unknown');
  return system === null ? browser : t('devices.on', { browser, system });
}

function Devices() {
  const { t } = useText();
  const devices = useAnswer('user/sessions');
  const {
    query: logins,
    items: events,
    more,
  } = usePages(['logins'], (cursor, signal) =>
    get('user/logins', { limit: 20, cursor }, { signal, isSilent: true }),
  );
  return (
    <PullToRefresh onRefresh={() => Promise.all([devices.refetch(), logins.refetch()])}>
      <div className="page">
        <p className={`secondary ${css.lead}`}>{t('devices.lead')}</p>
        <Loaded query={devices} waiting={<Waiting heights={[60, 60]} />}>
          {(sessions) => <DeviceList devices={sessions} onChange={() => void devices.refetch()} />}
        </Loaded>
        <h2 className={own.heading}>{t('devices.history')}</h2>
        <Listed
          query={logins}
          items={events}
          waiting={<Waiting heights={[60, 60]} />}
          empty={<p className="note mt-10">{t('devices.empty')}</p>}
        >
          <History events={events} />
          <LoadMore {...more} />
        </Listed>
      </div>
    </PullToRefresh>
  );
}

function DeviceList({ devices, onChange }: { devices: readonly Device[]; onChange: () => void }) {
  const { t, tag } = useText();
  const form = useForm();
  const [isChanging, setChanging] = useState(false);
  const end = (work: () => Promise<unknown>) =>
    form.send(async () => {
      await work();
      useToast.getState().show(t('devices.signedOut'));
      onChange();
    });
  return (
    <section aria-labelledby="devices">
      <h2 id="devices" className={own.heading}>
        {t('devices.sessions')}
      </h2>
      <ul className="card lined">
        {devices.map(({ id, isCurrent, device, address, createdAt, lastUsedAt }) => (
          <li key={id} className={css.row}>
            <div>
              <p className={`row wrap ${own.name}`}>
                {nameOf(device, t)}
                {isCurrent && <Tag>{t('devices.now')}</Tag>}
              </p>
              <small>
                {[address, t('devices.since', { time: formatDateTime(createdAt, tag) })]
                  .filter(Boolean)
                  .join(' · ')}
              </small>
              {!isCurrent && (
                <small>{t('devices.lastUsed', { time: formatDateTime(lastUsedAt, tag) })}</small>
              )}
            </div>
            {!isCurrent && (
              <Button
                size="small"
                disabled={form.isBusy}
                onClick={() => end(() => post('user/endSession', { id }))}
              >
                {t('devices.signOut')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {devices.length === 1 && <p className="note mt-10">{t('devices.noOthers')}</p>}
      <div className={own.actions}>
        {devices.length > 1 && (
          <Button isBlock disabled={form.isBusy} onClick={() => end(() => post('user/endOtherSessions'))}>
            {t('devices.signOutOthers')}
          </Button>
        )}
        <Button isBlock onClick={() => setChanging(true)}>
          {t('account.setPassword')}
        </Button>
      </div>
      <Dialog title={t('account.setPassword')} isOpen={isChanging} onClose={() => setChanging(false)}>
        <PasswordForm
          onDone={() => {
            setChanging(false);
            onChange();
          }}
        />
      </Dialog>
    </section>
  );
}

function History({ events }: { events: Logins['items'] }) {
  const { t, tag } = useText();
  return (
    <ul className="card lined">
      {events.map(({ id, time, isSuccess, device, address }) => (
        <li key={id} className={css.row}>
          <div>
            <p className={`row wrap ${own.name}`} data-fault={!isSuccess || undefined}>
              {!isSuccess && <FaultIcon size={16} />}
              {t(isSuccess ? 'devices.success' : 'devices.failed')}
            </p>
            <small>{[nameOf(device, t), address].filter(Boolean).join(' · ')}</small>
          </div>
          <time className="note" dateTime={new Date(time).toISOString()}>
            {formatDateTime(time, tag)}
          </time>
        </li>
      ))}
    </ul>
  );
}
