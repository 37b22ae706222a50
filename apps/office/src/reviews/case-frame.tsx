import { exact, FaultIcon, Tag } from '@fairtick/ui';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import type { Text } from '../messages/text.ts';
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
  id: string;
  account: string;
  customerId: string;
  submittedAt: number;
  tags: readonly string[];
  claim: QueueCase['claim'];
  /** Whether the reader may claim the case. */
  canClaim: boolean;
  nowMs: number;
  children: ReactNode;
  decision: ReactNode;
}) {
  const text = useText();
  const { t } = text;
  const form = useForm();
  const { kind, id, claim } = props;
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
            <Link href={`~/customers/${props.customerId}`}>{props.account}</Link>
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
          {t(`review.number.${kind}`, { id })} · {formatTime(props.submittedAt, text.tag)}
        </p>
        {claim !== null && <ClaimLine claim={claim} nowMs={props.nowMs} text={text} />}
        <FormFault text={form.fault} />
      </header>
      <div className={`stack grow gap-16 ${css.body}`}>{props.children}</div>
      {props.decision !== null && <footer className={css.decision}>{props.decision}</footer>}
    </article>
  );
}

/** Minutes that a claim lasts; claiming again restarts it. */
const CLAIM_MINUTES = 15;

function ClaimLine(props: { claim: NonNullable<QueueCase['claim']>; nowMs: number; text: Text }) {
  const { claim, nowMs, text } = props;
  // Capped because the page's clock may be a few seconds behind a claim just made.
  const minutes = Math.max(0, Math.min(CLAIM_MINUTES, Math.ceil((claim.until - nowMs) / 60_000)));
  return (
    <p className="caption">
      {claim.isMine
        ? text.t('review.claimedByYou', { minutes })
        : text.t('review.claimedBy', { name: claim.by.name, minutes })}
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
  const { t, word, tag } = useText();
  return (
    <details className={css.history} open>
      <summary>{t('review.history')}</summary>
      <ol className={`stack gap-6 ${css.events}`}>
        {props.events.map((event) => (
          <li key={`${event.time} ${event.step} ${event.by?.name ?? ''}`}>
            <span className="caption">{formatTime(event.time, tag)}</span>
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
