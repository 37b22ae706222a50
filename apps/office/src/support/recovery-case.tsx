import { isFinal } from '@fairtick/protocol/lifecycles';
import { Notice, Tag } from '@fairtick/ui';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { CaseFact, CaseFacts } from '../reviews/case-frame.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { SecretDialog } from '../shell/secret-dialog.tsx';
import split from '../shell/split.module.css';
import { formatTime } from '../state/format.ts';
import css from './chats.module.css';
import { type RecoveryDetail, refreshRecovery, useRecovery } from './queries.ts';
import { holdText, RecoveryDecision } from './recovery-decision.tsx';

/** One call for help: its text, the account concerned, and the review by two. */
export function RecoveryCase({ id }: { id: string }) {
  const { t } = useText();
  const [half, setHalf] = useState<string | null>(null);
  return (
    <article className={`flex-column grow ${split.case}`} aria-labelledby="recovery-title">
      <Loaded query={useRecovery(id)}>
        {(detail) => (
          <>
            <Facts detail={detail} />
            {!isFinal('recovery', detail.state) && (
              <RecoveryDecision
                detail={detail}
                onDone={async (given) => {
                  setHalf(given);
                  await refreshRecovery(id);
                }}
              />
            )}
          </>
        )}
      </Loaded>
      <SecretDialog
        title={t('recovery.half')}
        text={t('recovery.halfText')}
        secret={half}
        onClose={() => setHalf(null)}
      />
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
          {t('recovery.objected', { time: formatTime(detail.objectedAt) })}
        </Warning>
      )}
      {detail.lostAt !== null && (
        <Warning look="warn" title={t('recovery.claimTitle')}>
          {t('recovery.claim', { time: formatTime(detail.lostAt), hold })}
        </Warning>
      )}
      <CaseFacts>
        <CaseFact name={t('recovery.at')}>{formatTime(detail.at)}</CaseFact>
        <CaseFact name={t('recovery.contact')}>{detail.contact}</CaseFact>
        <CaseFact name={t('recovery.address')}>{detail.address ?? t('shell.unknown')}</CaseFact>
        {customer && (
          <>
            <CaseFact name={t('recovery.nickname')}>{customer.nickname}</CaseFact>
            <CaseFact name={t('recovery.name')}>{word('realStatus', customer.realStatus)}</CaseFact>
            <CaseFact name={t('recovery.factor')}>
              {t(customer.hasSecondFactor ? 'recovery.factorOn' : 'recovery.factorOff')}
            </CaseFact>
            <CaseFact name={t('recovery.since')}>{formatTime(customer.createdAt)}</CaseFact>
            <CaseFact name={t('recovery.lastLogin')}>
              {customer.lastLoginAt === null ? t('shell.never') : formatTime(customer.lastLoginAt)}
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
            {detail.proposedBy?.name} · {detail.proposedAt !== null && formatTime(detail.proposedAt)}
          </span>
        </div>
      )}
      {detail.decidedBy && detail.decidedAt !== null && (
        <p className="caption">
          {detail.decidedBy.name} · {formatTime(detail.decidedAt)}
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
