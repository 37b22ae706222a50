import { isFinal } from '@fairtick/protocol/lifecycles';
import { Notice, Tag } from '@fairtick/ui';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { CaseFact, CaseFacts } from '../reviews/case-frame.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass } from '../shell/form.tsx';
import split from '../shell/split.module.css';
import { formatTime } from '../state/format.ts';
import css from './chats.module.css';
import { type RecoveryDetail, refreshRecovery, useRecovery } from './queries.ts';
import { holdText, RecoveryDecision } from './recovery-decision.tsx';

/** One call for help: its text, the account concerned, and the review by two. */
export function RecoveryCase({ id }: { id: string }) {
  const { t } = useText();
  const query = useRecovery(id);
  const [half, setHalf] = useState<string | null>(null);
  const roles = new Set<string>(useMe().data?.roles.map(({ role }) => role));
  if (!query.data) {
    const text = query.error ? query.error.message || t('shell.networkError') : t('shell.loading');
    return <p className={`ink-3 text-center ${split.choose}`}>{text}</p>;
  }
  const isOpen = !isFinal('recovery', query.data.state);
  return (
    <article className={`flex-column grow ${split.case}`} aria-labelledby="recovery-title">
      <Facts detail={query.data} />
      {isOpen && (
        <RecoveryDecision
          detail={query.data}
          roles={roles}
          onDone={async (given) => {
            setHalf(given);
            await refreshRecovery(id);
          }}
        />
      )}
      <Dialog title={t('recovery.half')} isOpen={half !== null} onClose={() => setHalf(null)}>
        <p>{t('recovery.halfText')}</p>
        <p className={`mt-12 mb-12 p-12 text-center ${css.half}`}>
          <code>{half}</code>
        </p>
        <div className={buttonsClass}>
          <Action onClick={() => setHalf(null)}>{t('shell.close')}</Action>
        </div>
      </Dialog>
    </article>
  );
}

function Facts({ detail }: { detail: RecoveryDetail }) {
  const { t, word, tag } = useText();
  const { customer } = detail;
  const hold = holdText(detail, tag);
  return (
    <div className={`stack grow gap-14 ${css.body}`}>
      <div className="line">
        <h2 id="recovery-title">
          {customer ? <Link href={`~/customers/${customer.id}`}>{detail.account}</Link> : detail.account}
        </h2>
        <Tag>{word('recoveryState', detail.state)}</Tag>
      </div>
      <p className="caption">{t(customer ? 'recovery.seen' : 'recovery.unknown')}</p>
      {detail.objectedAt !== null && (
        <Warning look="bad" title={t('recovery.objectedTitle')}>
          {t('recovery.objected', { time: formatTime(detail.objectedAt, tag) })}
        </Warning>
      )}
      {detail.lostAt !== null && (
        <Warning look="warn" title={t('recovery.claimTitle')}>
          {t('recovery.claim', { time: formatTime(detail.lostAt, tag), hold })}
        </Warning>
      )}
      <CaseFacts>
        <CaseFact name={t('recovery.at')}>{formatTime(detail.at, tag)}</CaseFact>
        <CaseFact name={t('recovery.contact')}>{detail.contact}</CaseFact>
        <CaseFact name={t('recovery.address')}>{detail.address ?? t('shell.unknown')}</CaseFact>
        {customer && (
          <>
            <CaseFact name={t('recovery.nickname')}>{customer.nickname}</CaseFact>
            <CaseFact name={t('recovery.name')}>{word('realStatus', customer.realStatus)}</CaseFact>
            <CaseFact name={t('recovery.factor')}>
              {t(customer.hasSecondFactor ? 'recovery.factorOn' : 'recovery.factorOff')}
            </CaseFact>
            <CaseFact name={t('recovery.since')}>{formatTime(customer.createdAt, tag)}</CaseFact>
            <CaseFact name={t('recovery.lastLogin')}>
              {customer.lastLoginAt === null ? t('shell.never') : formatTime(customer.lastLoginAt, tag)}
            </CaseFact>
          </>
        )}
      </CaseFacts>
      <blockquote className={`py-10 px-12 rounded-6 bg-s2 ${css.said}`} dir="auto">
        {detail.text}
      </blockquote>
      {(detail.how ?? detail.refusal) !== null && (
        <div className={css.note}>
          <b>{t(detail.refusal === null ? 'recovery.howSaid' : 'recovery.refusalProposed')}</b>
          <p dir="auto">{detail.refusal === null ? detail.how : word('recoveryReason', detail.refusal)}</p>
          {detail.takesFactor && <p>{t('recovery.factorGoes', { hold })}</p>}
          <span className={`caption row gap-4 ${css.mark}`}>
            {detail.proposedBy?.name}, {detail.proposedAt !== null && formatTime(detail.proposedAt, tag)}
          </span>
        </div>
      )}
      {detail.decidedBy && detail.decidedAt !== null && (
        <p className="caption">
          {detail.decidedBy.name}, {formatTime(detail.decidedAt, tag)}
          {detail.reason !== null && `: ${word('recoveryReason', detail.reason)}`}
        </p>
      )}
    </div>
  );
}

/** A danger of the case, under its name. */
function Warning(props: { look: 'warn' | 'bad'; title: string; children: ReactNode }) {
  return (
    <Notice look={props.look}>
      <b className="block">{props.title}</b>
      {props.children}
    </Notice>
  );
}
