import type { Protection } from '@fairtick/protocol';
import { ForwardIcon, HourglassIcon, Segments } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { queryClient } from '../api/query-client.tsx';
import { tellFault } from '../api/tell-fault.ts';
import { useAnswer } from '../api/use-answer.ts';
import { refreshUserInfo } from '../live/user-info.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { pageOf } from '../parts/page.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { formatAmount, formatDayMinute, formatMoment, sentences } from '../state/format.ts';
import { useOwnAsset } from '../state/own-asset.ts';
import { useSession } from '../state/session.ts';
import { useToast } from '../state/toast.ts';
import { BreakForm } from './break-form.tsx';
import { LimitForm } from './limit-form.tsx';
import {
  type Kind,
  kindsOf,
  limitOf,
  PERIODS,
  type Period,
  REMINDER_MINUTES,
  usedShare,
} from './limits-model.ts';
import { AssetSegments } from './page-parts.tsx';
import css from './protection.module.css';

/** `/limits`: a customer's own limits, breaks and self-exclusion. */
export default pageOf('protection', Limits);

const KEY = ['protection/state', {}];

function Limits() {
  const { t } = useText();
  const query = useAnswer('protection/state', {}, { refetchOnMount: 'always' });
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <div className="page">
        <p className="secondary mt-4">{t('limits.lead')}</p>
        <Loaded query={query} waiting={<Waiting heights={[44, 180, 180, 100]} />}>
          {(protection) => <Own protection={protection} />}
        </Loaded>
      </div>
    </PullToRefresh>
  );
}

/** Applies the new state from an answer. It also updates the ticket's pause at once, in case the reader leaves the page. */
function take(protection: Protection): void {
  queryClient.setQueryData(KEY, protection);
  useSession.getState().change({ pause: protection.pause });
  void refreshUserInfo();
}

type Sheet = { readonly kind: Kind; readonly per: Period } | 'break' | 'exclusion';

function Own({ protection }: { protection: Protection }) {
  const { t } = useText();
  const first = useOwnAsset();
  const [asset, setAsset] = useState(first);
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const close = () => setSheet(null);
  const onDone = (changed: Protection) => {
    take(changed);
    useToast.getState().show(t('shell.modified'));
    close();
  };
  const breakName = t(protection.pause?.kind === 'break' ? 'limits.extendBreak' : 'limits.break');
  const edited = sheet !== null && typeof sheet === 'object' ? sheet : null;
  return (
    <>
      <Pause protection={protection} />
      <div className="mt-24">
        <AssetSegments name="limits-asset" value={asset} onChange={setAsset} />
      </div>
      <div className={`columns-fit ${css.sides}`}>
        {kindsOf(asset).map((kind) => (
          <KindSection
            key={kind}
            protection={protection}
            asset={asset}
            kind={kind}
            onEdit={(per) => setSheet({ kind, per })}
          />
        ))}
      </div>
      <p className={`note mt-8 ${css.note}`}>{t('limits.utc')}</p>
      <div className={`columns-fit ${css.sides}`}>
        <ReminderSection protection={protection} />
        <Stops breakName={breakName} onOpen={setSheet} />
      </div>
      <section className={`secondary ${css.help}`}>
        <h2>{t('limits.help')}</h2>
        <p>{t('limits.helpText')}</p>
      </section>
      <Dialog
        title={
          edited ? t('limits.edit', { kind: t(`limits.${edited.kind}`), per: t(`limits.${edited.per}`) }) : ''
        }
        isOpen={edited !== null}
        onClose={close}
      >
        {edited && (
          <LimitForm
            {...edited}
            asset={asset}
            limit={limitOf(protection, asset, edited.kind, edited.per)}
            onDone={onDone}
          />
        )}
      </Dialog>
      <Dialog title={breakName} isOpen={sheet === 'break'} onClose={close}>
        <BreakForm kind="break" onDone={onDone} />
      </Dialog>
      <Dialog title={t('limits.exclude')} isOpen={sheet === 'exclusion'} onClose={close}>
        <BreakForm kind="exclusion" onDone={onDone} />
      </Dialog>
    </>
  );
}

function Pause({ protection: { pause } }: { protection: Protection }) {
  const { t, tag } = useText();
  if (!pause) return null;
  return (
    <section className={`with-icon flex gap-12 mt-12 p-16 ${css.pause}`} data-pause={pause.kind}>
      <HourglassIcon size={20} />
      <div>
        <h2>{t(pause.kind === 'break' ? 'limits.onBreak' : 'limits.excluded')}</h2>
        <p>
          {pause.until === null
            ? t('limits.pauseForGood')
            : sentences(t('limits.pauseText', { time: formatMoment(pause.until, tag) }), t('limits.extend'))}
        </p>
      </div>
    </section>
  );
}

function KindSection(props: {
  protection: Protection;
  asset: string;
  kind: Kind;
  onEdit: (per: Period) => void;
}) {
  const { t } = useText();
  const { protection, asset, kind } = props;
  return (
    <section className="mt-24">
      <div className={css.head}>
        <h2>{t(`limits.${kind}`)}</h2>
      </div>
      <p className={`note ${css.sectionNote}`}>{t(`limits.${kind}Note`)}</p>
      <div className="card lined clip" role="group" aria-label={t(`limits.${kind}`)}>
        {PERIODS.map((per) => (
          <LimitRow key={per} {...{ protection, asset, kind, per }} onEdit={() => props.onEdit(per)} />
        ))}
      </div>
    </section>
  );
}

function LimitRow(props: {
  protection: Protection;
  asset: string;
  kind: Kind;
  per: Period;
  onEdit: () => void;
}) {
  const { t, tag } = useText();
  const limit = limitOf(props.protection, props.asset, props.kind, props.per);
  return (
    <button
      type="button"
      className={`block full py-14 px-16 text-left ${css.row}`}
      data-limit={`${props.kind}-${props.per}`}
      aria-haspopup="dialog"
      onClick={props.onEdit}
    >
      <span className={`row between gap-12 ${css.rowHead}`}>
        <span>{t(`limits.${props.per}`)}</span>
        <span>
          {limit ? <b translate="no">{`${formatAmount(limit.amount)} ${props.asset}`}</b> : t('limits.none')}
          <ForwardIcon size={16} />
        </span>
      </span>
      {limit && (
        <>
          <span className={`block mt-10 ${css.meter}`}>
            <i style={{ width: `${usedShare(limit) * 100}%` }} />
          </span>
          <small className={css.small}>
            {t('limits.used', {
              used: formatAmount(limit.used),
              left: formatAmount(limit.left),
            })}
            {' · '}
            {t('limits.resets', { time: formatDayMinute(limit.resetsAt, tag) })}
          </small>
          {limit.later && (
            <small className={`${css.small} ${css.later}`}>
              {limit.later.amount === null
                ? t('limits.laterNone', { time: formatDayMinute(limit.later.at, tag) })
                : t('limits.later', {
                    time: formatDayMinute(limit.later.at, tag),
                    amount: `${formatAmount(limit.later.amount)} ${props.asset}`,
                  })}
            </small>
          )}
        </>
      )}
    </button>
  );
}

function ReminderSection({ protection: { reminder } }: { protection: Protection }) {
  const { t, tag } = useText();
  const value = String(reminder.later ? (reminder.later.minutes ?? 0) : (reminder.minutes ?? 0));
  const nameOf = (minutes: number) =>
    minutes === 0 ? t('limits.off') : t('limits.minutes', { count: minutes });
  const choose = async (minutes: string) => {
    try {
      take(await post('protection/setReminder', { minutes }));
      useToast.getState().show(t('shell.modified'));
    } catch (error) {
      tellFault(error, t);
    }
  };
  return (
    <section className="mt-24">
      <div className={css.head}>
        <h2>{t('limits.reminder')}</h2>
      </div>
      <p className={`note ${css.sectionNote}`}>{t('limits.reminderNote')}</p>
      <Segments
        label={t('limits.reminder')}
        name="reminder"
        value={value}
        choices={REMINDER_MINUTES.map((minutes) => ({ value: String(minutes), label: nameOf(minutes) }))}
        onChange={choose}
      />
      {reminder.later && (
        <p className={`note mt-8 ${css.note}`}>
          {t('limits.reminderLater', {
            time: formatDayMinute(reminder.later.at, tag),
            value: nameOf(reminder.later.minutes ?? 0),
            now: nameOf(reminder.minutes ?? 0),
          })}
        </p>
      )}
    </section>
  );
}

function Stops(props: { breakName: string; onOpen: (sheet: 'break' | 'exclusion') => void }) {
  const { t } = useText();
  return (
    <section className="mt-24">
      <div className="card lined clip">
        {(['break', 'exclusion'] as const).map((kind) => (
          <button
            key={kind}
            type="button"
            className={`block full py-14 px-16 text-left ${css.row}`}
            aria-haspopup="dialog"
            onClick={() => props.onOpen(kind)}
          >
            <span className={`row between gap-12 ${css.rowHead}`}>
              <b>{kind === 'break' ? props.breakName : t('limits.exclude')}</b>
              <span>
                <ForwardIcon size={16} />
              </span>
            </span>
            <small className={css.small}>
              {t(kind === 'break' ? 'limits.breakNote' : 'limits.excludeNote')}
            </small>
          </button>
        ))}
      </div>
    </section>
  );
}
