import { endingOf, stateText } from '@fairtick/protocol/request-states';
import { exact, FaultIcon, Notice, Tag } from '@fairtick/ui';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { FormFault, useForm } from '../shell/form.tsx';
import { KeyedAction, KeyMark, useKeyOf } from '../shell/keyed-action.tsx';
import { usePageKeys } from '../shell/page-keys.ts';
import split from '../shell/split.module.css';
import { formatTime } from '../state/format.ts';
import { refreshReview } from './queries.ts';
import type { QueueCase, ReviewKind } from './queue-model.ts';
import css from './review.module.css';

/** Layout of a case: head, scrolling body, and the decision below. */
export function CaseFrame(props: {
  kind: ReviewKind;
  of: Pick<QueueCase, 'id' | 'account' | 'customerId' | 'submittedAt' | 'claim'>;
  tags: readonly string[];
  /** Whether the reader may claim the case. */
  canClaim: boolean;
  nowMs: number;
  children: ReactNode;
  decision: ReactNode;
}) {
  const { t } = useText();
  const form = useForm();
  const { kind, of } = props;
  const { id, claim } = of;
  const step = (name: 'claim' | 'release') =>
    form.send(async () => {
      await post(`${kind}/${name}`, { id });
      await refreshReview(kind, id);
    });
  const isMine = claim?.isMine === true;
  const stepKey = isMine ? 'u' : 'c';
  const shortcut = useKeyOf(stepKey);
  usePageKeys(
    props.canClaim
      ? [
          { key: 'c', title: 'keys.claim', run: () => void step('claim') },
          { key: 'u', title: 'keys.release', run: () => isMine && void step('release') },
        ]
      : [],
  );
  return (
    <article className={`flex-column grow ${split.case}`} aria-labelledby="case-title">
      <header className={`stack gap-2 ${css.caseHead}`}>
        <div className="line">
          <h2 id="case-title">
            <Link href={`~/customers/${of.customerId}`}>{of.account}</Link>
          </h2>
          {props.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          {props.canClaim && (
            <button
              type="button"
              className={`pill row gap-6 ml-auto ink ${css.plain}`}
              {...shortcut}
              disabled={form.isBusy || (claim !== null && !isMine)}
              onClick={() => void step(isMine ? 'release' : 'claim')}
            >
              {t(isMine ? 'review.release' : 'review.claim')}
              <KeyMark name={stepKey} />
            </button>
          )}
        </div>
        <p className="caption">
          {t(`review.number.${kind}`, { id })} · {formatTime(of.submittedAt)}
        </p>
        {claim !== null && <ClaimLine claim={claim} nowMs={props.nowMs} />}
        <FormFault text={form.fault} />
      </header>
      <div className={`stack grow gap-16 ${css.body}`}>{props.children}</div>
      {props.decision !== null && <footer className={css.decision}>{props.decision}</footer>}
    </article>
  );
}

/** Minutes that a claim lasts; claiming again restarts it. */
const CLAIM_MINUTES = 15;

function ClaimLine({ claim, nowMs }: { claim: NonNullable<QueueCase['claim']>; nowMs: number }) {
  const { t } = useText();
  // Capped because the page's clock may be a few seconds behind a claim just made.
  const minutes = Math.max(0, Math.min(CLAIM_MINUTES, Math.ceil((claim.until - nowMs) / 60_000)));
  return (
    <p className="caption">
      {claim.isMine
        ? t('review.claimedByYou', { minutes })
        : t('review.claimedBy', { name: claim.by.name, minutes })}
    </p>
  );
}

/** The buttons of a decision, below what is missing before the first of them can be pressed. */
export function Acts({ missing, children }: { missing: string | null; children: ReactNode }) {
  return (
    <>
      {missing !== null && <p className="caption">{missing}</p>}
      <div className={`flex wrap gap-8 ${css.acts}`}>{children}</div>
    </>
  );
}

/** The outcome of a request and its reason. */
export function Outcome({
  of: { status, reason, reasonText },
}: {
  of: Readonly<Record<'reason' | 'reasonText', string | null>> & { readonly status: string };
}) {
  const { word, language } = useText();
  return (
    <Notice>
      {stateText(status, endingOf(reason), language)}
      {reason !== null && `: ${word('reason', reason)}`}
      {reasonText !== null && ` · ${reasonText}`}
    </Notice>
  );
}

/** Names and values of a case, one below the other. */
export function CaseFacts({ children }: { children: ReactNode }) {
  return <dl className={css.facts}>{children}</dl>;
}

export function CaseFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd {...exact(children)}>{children}</dd>
    </div>
  );
}

/** The risks of a case, each with an icon and words. */
export function RiskList({ risks }: { risks: readonly string[] }) {
  const { t } = useText();
  if (risks.length === 0) return <p className="caption">{t('review.noRisk')}</p>;
  return (
    <ul className={`stack gap-6 ${css.riskList}`} aria-label={t('review.risks')}>
      {risks.map((risk) => (
        <li className="row gap-8" key={risk}>
          <FaultIcon size={16} />
          {risk}
        </li>
      ))}
    </ul>
  );
}

/** Opens personal data, also by V; the customer sees each such look. */
export function LookButton({ label, onLook }: { label: string; onLook: () => void }) {
  const { t } = useText();
  return (
    <div className={`stack gap-8 mt-6 text-center ${css.look}`}>
      <KeyedAction hotkey="v" onPress={onLook}>
        {label}
      </KeyedAction>
      <p className="caption">{t('review.willSee')}</p>
    </div>
  );
}

/** The events of a case, oldest first. */
export function Events(props: {
  events: readonly {
    readonly time: number;
    readonly step: string;
    readonly by: { readonly name: string } | null;
    readonly text: string | null;
  }[];
}) {
  const { t, word } = useText();
  return (
    <details className={css.history} open>
      <summary>{t('review.history')}</summary>
      <ol className={`stack gap-6 ${css.events}`}>
        {props.events.map((event) => (
          <li key={`${event.time} ${event.step} ${event.by?.name ?? ''}`}>
            <span className="caption">{formatTime(event.time)}</span>
            <span>
              {word('step', event.step)}
              <span className="secondary">
                {' · '}
                {event.by?.name ??
                  t(['lapsed', 'answered'].includes(event.step) ? 'review.theHouse' : 'review.theCustomer')}
              </span>
              {event.text !== null && event.text !== '' && <small className={css.breaks}>{event.text}</small>}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
