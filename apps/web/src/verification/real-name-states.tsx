import type { RealInfo } from '@fairtick/protocol';
import { FaultIcon, ForwardIcon, HourglassIcon, ShieldCheckIcon, Skeleton } from '@fairtick/ui';
import type { ReactNode } from 'react';
import css from '../account/account.module.css';
import { useText } from '../messages/text-context.tsx';
import { useStoredPicture } from '../parts/object-url.ts';
import { Link } from '../shell/link.tsx';
import { formatDateTime } from '../state/format.ts';
import { Stages } from '../wallet/parts/stages.tsx';
import own from './verification.module.css';

/** The states after submitting: under review, verified, or failed with the reason and how to go on. */
export function Pending({ info }: { info: RealInfo }) {
  const { t } = useText();
  return (
    <>
      <Head icon={<HourglassIcon size={24} />} title={t('real.pending')}>
        {t('real.pendingLead')}
      </Head>
      <Steps info={info} />
      <Documents info={info} />
      <div className="card lined mt-20 clip">
        <Way href="/whoLooked">{t('title.whoLooked')}</Way>
      </div>
    </>
  );
}

export function Verified({ info }: { info: RealInfo }) {
  const { t, tag } = useText();
  return (
    <>
      <Head icon={<ShieldCheckIcon size={28} />} title={t('real.verified')} look="good">
        {info.decidedAt === null
          ? t('real.verifiedLead')
          : t('real.verifiedAt', { time: formatDateTime(info.decidedAt, tag) })}
      </Head>
      <Steps info={info} />
      <Documents info={info} />
      <div className="card lined mt-20 clip">
        <Way href="/with">{t('real.toWithdraw')}</Way>
        <Way href="/whoLooked">{t('title.whoLooked')}</Way>
      </div>
    </>
  );
}

/** Reasons that a new submission can't resolve. */
const FOR_SUPPORT: readonly RealInfo['reason'][] = ['duplicate', 'restricted'];

export function Failed({ info }: { info: RealInfo }) {
  const { t, tag } = useText();
  return (
    <>
      <Head icon={<FaultIcon size={24} />} title={t('real.failed')} look="bad">
        {info.decidedAt !== null && t('real.decidedAt', { time: formatDateTime(info.decidedAt, tag) })}
      </Head>
      <div className={`mt-16 py-14 px-16 ${own.reason}`} role="status">
        <h3>{t('real.why')}</h3>
        <p>{info.reasonText}</p>
        {info.note && (
          <>
            <h3>{t('real.note')}</h3>
            <p>{info.note}</p>
          </>
        )}
        {FOR_SUPPORT.includes(info.reason) && (
          <Link className="link" href="/chat">
            {t('real.askSupport')}
          </Link>
        )}
      </div>
      <Documents info={info} />
      <h2 className={own.again}>{t('real.again')}</h2>
      <p className="secondary">{info.kept ? t('real.againLead') : t('real.noneLead')}</p>
    </>
  );
}

function Head(props: { icon: ReactNode; title: string; look?: 'good' | 'bad'; children: ReactNode }) {
  const { icon, title, look, children } = props;
  return (
    <div className={`flex items-start gap-14 mt-16 ${own.head}`} data-look={look}>
      {icon}
      <div>
        <h2>{title}</h2>
        <p>{children}</p>
      </div>
    </div>
  );
}

function Steps({ info }: { info: RealInfo }) {
  const { t, tag } = useText();
  const time = (at: number | null) => (at === null ? '' : formatDateTime(at, tag));
  const isDecided = info.decidedAt !== null;
  return (
    <Stages
      label={t('title.realName')}
      stages={[
        { name: t('real.stepSent'), note: time(info.submittedAt), state: 'done' },
        {
          name: t('real.stepReview'),
          note: t(isDecided ? 'real.stepDone' : 'real.stepNow'),
          state: isDecided ? 'done' : 'now',
        },
        {
          name: t('real.stepResult'),
          note: isDecided ? time(info.decidedAt) : t('real.stepHere'),
          state: isDecided ? 'done' : 'ahead',
        },
      ]}
    />
  );
}

function Documents({ info }: { info: RealInfo }) {
  const { t } = useText();
  if (info.documents.length === 0) return null;
  return (
    <section>
      <div className="flex gap-14 mt-24">
        {info.documents.map((document) => (
          <Document
            key={document.id}
            id={document.id}
            name={t(document.purpose === 'id_front' ? 'real.idFront' : 'real.idBack')}
          />
        ))}
      </div>
      <p className="caption mt-8">{t('real.documentsNote')}</p>
    </section>
  );
}

function Document({ id, name }: { id: string; name: string }) {
  const { t } = useText();
  const { url, error } = useStoredPicture('user/document', id);
  return (
    <figure className={own.document}>
      <figcaption className="secondary mb-8">{name}</figcaption>
      {url ? (
        <img src={url} alt={t('real.documentAlt', { name })} />
      ) : error ? (
        <span className="caption">{t('real.noPicture')}</span>
      ) : (
        <Skeleton width="100%" height={75} />
      )}
    </figure>
  );
}

function Way({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className={css.item}>
      <span>{children}</span>
      <ForwardIcon size={16} />
    </Link>
  );
}
