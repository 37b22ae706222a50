import { stateText } from '@fairtick/protocol/request-states';
import { Notice, Tabs } from '@fairtick/ui';
import { useState } from 'react';
import { Link } from 'wouter';
import { post } from '../../api/client.ts';
import { faultText } from '../../api/fault-text.ts';
import { useHas } from '../../api/queries.ts';
import { useText } from '../../messages/text-context.tsx';
import { KeyMark } from '../../shell/keyed-action.tsx';
import { usePageKeys } from '../../shell/page-keys.ts';
import { regionName } from '../../state/format.ts';
import { CaseFact, CaseFacts, CaseFrame, Events, LookButton, RiskList } from '../case-frame.tsx';
import { ImageViewer } from '../image-viewer.tsx';
import { Inquiries } from '../inquiries.tsx';
import { useIdentity, useIdentityReasons } from '../queries.ts';
import type { QueueCase } from '../queue-model.ts';
import { useRiskText } from '../queue-table.tsx';
import { RefuseStep } from '../refuse-step.tsx';
import css from '../review.module.css';
import { type CaseProps, ReviewPage } from '../review-page.tsx';
import { Step } from '../step.tsx';
import { useTaken } from '../use-reader.ts';

type Detail = NonNullable<ReturnType<typeof useIdentity>['data']>;
type Side = 'front' | 'back';
/** The sides of a document that the screen shows. */
type Shown = Side | 'both';

export default function IdentityPage() {
  return <ReviewPage kind="identity" Case={IdentityCase} />;
}

/**
 * Shows the verification of a real name. Personal data is fetched only when the reader asks for it, or has claimed the case, because
 * the customer sees each look. A decision needs the data and each picture to have been shown.
 */
function IdentityCase({ id, queued, nowMs, onDone }: CaseProps) {
  const text = useText();
  const { t, language } = text;
  const riskText = useRiskText();
  const claim = queued?.claim ?? null;
  const [hasLooked, setLooked] = useState(false);
  const isWanted = hasLooked || claim?.isMine === true;
  const [seen, setSeen] = useState<ReadonlySet<Side>>(new Set());
  const detail = useIdentity(id, isWanted);
  const { data } = detail;
  const one = queued ?? data;
  const isOpen = (queued?.stage ?? (data?.decidedAt === null ? 'open' : 'decided')) === 'open';
  const mayDecide = useHas()('verification');
  return (
    <CaseFrame
      kind="identity"
      of={{
        id,
        account: one?.account ?? '',
        customerId: one?.customerId ?? '',
        submittedAt: one?.submittedAt ?? nowMs,
        claim,
      }}
      tags={[
        isOpen ? t('stage.open') : stateText(queued?.status ?? data?.state ?? 'pending', null, language),
      ]}
      canClaim={mayDecide && isOpen && queued !== null}
      nowMs={nowMs}
      decision={
        isOpen && mayDecide ? (
          <Decision
            id={id}
            account={one?.account ?? ''}
            leftToSee={data && sidesOf(data).filter((side) => !seen.has(side))}
            claim={claim}
            onDone={onDone}
          />
        ) : null
      }
    >
      {queued !== null && <RiskList risks={queued.risks.map(riskText)} />}
      {one && <Inquiries customerId={one.customerId} />}
      {!isWanted && <LookButton label={t('identity.show')} onLook={() => setLooked(true)} />}
      {detail.isError && <Notice look="bad">{faultText(detail.error, text)}</Notice>}
      {isWanted && detail.isPending && <p className="caption">{t('shell.loading')}</p>}
      {data && <Person data={data} onSeen={(side) => setSeen((now) => new Set(now).add(side))} />}
    </CaseFrame>
  );
}

const sidesOf = ({ hasBack }: Detail): readonly Side[] => (hasBack ? ['front', 'back'] : ['front']);

function Person({ data, onSeen }: { data: Detail; onSeen: (side: Side) => void }) {
  const { t, word, tag } = useText();
  const [shown, setShown] = useState<Shown>('front');
  const [opened, setOpened] = useState<readonly Side[]>(['front']);
  const { identity } = data;
  const sides = sidesOf(data);
  const choices: readonly Shown[] = data.hasBack ? ['front', 'back', 'both'] : ['front'];
  const isShown = (side: Side) => shown === side || shown === 'both';
  const show = (chosen: Shown) => {
    setShown(chosen);
    setOpened((now) => [...new Set([...now, ...(chosen === 'both' ? sides : [chosen])])]);
  };
  const next = choices[(choices.indexOf(shown) + 1) % choices.length] ?? 'front';
  usePageKeys(data.hasBack ? [{ key: 's', title: 'keys.side', run: () => show(next) }] : []);
  return (
    <>
      <Tabs
        label={t('identity.pictures')}
        id="side"
        value={shown}
        tabs={choices.map((value) => ({
          value,
          label: t(`identity.${value}`),
          mark: value === next && value !== shown && <KeyMark name="s" />,
        }))}
        onChange={show}
      />
      {/* A side is fetched when it is opened, and stays mounted: switching sides must not count as another look. */}
      <div
        role="tabpanel"
        aria-labelledby={`side-${shown}`}
        className={css.sides}
        data-both={shown === 'both' ? '' : undefined}
      >
        {sides.map((one) => (
          <div key={one} hidden={!isShown(one)}>
            {opened.includes(one) && (
              <ImageViewer
                path="identity/document"
                fields={{ id: data.id, side: one }}
                label={t(`identity.${one}`)}
                isShown={isShown(one)}
                hasKeys={shown === one || one === 'front'}
                onSeen={() => onSeen(one)}
              />
            )}
          </div>
        ))}
      </div>
      {identity === null ? (
        <Notice>{t('identity.erased')}</Notice>
      ) : (
        <CaseFacts>
          <CaseFact name={t('identity.name')}>{identity.realName}</CaseFact>
          <CaseFact name={t('identity.type')}>{word('idType', identity.idType)}</CaseFact>
          <CaseFact name={t('identity.number')}>
            <span className={css.mono}>{identity.idNumber}</span>
          </CaseFact>
          <CaseFact name={t('identity.country')}>
            {identity.idCountry === null ? t('identity.none') : regionName(identity.idCountry, tag)}
          </CaseFact>
          <CaseFact name={t('identity.idAddress')}>{identity.idAddress}</CaseFact>
          <CaseFact name={t('identity.currentAddress')}>{identity.currentAddress}</CaseFact>
        </CaseFacts>
      )}
      <Doubles name={t('identity.sameDocument')} accounts={data.risk.sameDocument} />
      <Doubles name={t('identity.sameName')} accounts={data.risk.sameName} />
      <Events
        events={data.events.map((event) => ({
          ...event,
          text: [event.reason === null ? null : word('reason', event.reason), event.note]
            .filter(Boolean)
            .join(' · '),
        }))}
      />
    </>
  );
}

/** Other customers with the same document or name. */
function Doubles({ name, accounts }: { name: string; accounts: readonly string[] }) {
  if (accounts.length === 0) return null;
  return (
    <p className="caption">
      {name}:{' '}
      {accounts.map((account, place) => (
        <span key={account}>
          {place > 0 && ', '}
          <Link className="link" href={`~/customers/${account}`}>
            {account}
          </Link>
        </span>
      ))}
    </p>
  );
}

function Decision(props: {
  id: string;
  account: string;
  /** Sides of the document; undefined until the details are shown. */
  leftToSee: readonly Side[] | undefined;
  claim: QueueCase['claim'];
  onDone: () => void;
}) {
  const { t } = useText();
  const { id, account, leftToSee, onDone } = props;
  const reasons = useIdentityReasons();
  const taken = useTaken(props.claim);
  const left = leftToSee === undefined ? t('identity.lookFirst') : null;
  const [side] = leftToSee ?? [];
  const missing = taken ?? left ?? (side ? t('identity.leftToSee', { side: t(`identity.${side}`) }) : null);
  return (
    <Step
      kind="identity"
      id={id}
      label={t('identity.verify')}
      title={t('shell.named', { name: t('identity.verify'), value: account })}
      missing={missing}
      beside={
        <RefuseStep
          kind="identity"
          id={id}
          label={t('identity.fail')}
          about={account}
          isDisabled={missing !== null}
          templates={reasons.data}
          refuse={(reason, note) => post('identity/decide', { id, verdict: 'failed', reason, note })}
          done={t('identity.doneFailed', { account })}
          onDone={onDone}
        />
      }
      act={async () => {
        await post('identity/decide', { id, verdict: 'verified' });
        return t('identity.doneVerified', { account });
      }}
      onDone={onDone}
    >
      <p>{t('identity.verifyText', { account })}</p>
    </Step>
  );
}
