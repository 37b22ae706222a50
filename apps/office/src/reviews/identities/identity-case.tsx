import { stateText } from '@fairtick/protocol/request-states';
import { Notice, Tabs } from '@fairtick/ui';
import { useState } from 'react';
import { Link } from 'wouter';
import { post } from '../../api/client.ts';
import { faultText } from '../../api/fault-text.ts';
import { useText } from '../../messages/text-context.tsx';
import { KeyedAction, KeyMark } from '../../shell/keyed-action.tsx';
import { usePageKeys } from '../../shell/page-keys.ts';
import { regionName } from '../../state/format.ts';
import { useToast } from '../../state/toast.ts';
import { Acts, CaseFact, CaseFacts, CaseFrame, Events, LookButton, RiskList } from '../case-frame.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { ImageViewer } from '../image-viewer.tsx';
import { refreshReview, useIdentity, useIdentityReasons } from '../queries.ts';
import type { QueueCase } from '../queue-model.ts';
import { useRiskText } from '../queue-table.tsx';
import { RefuseDialog } from '../refuse-dialog.tsx';
import css from '../review.module.css';
import type { CaseProps } from '../review-page.tsx';
import { useReader, useTaken } from '../use-reader.ts';

type Detail = NonNullable<ReturnType<typeof useIdentity>['data']>;
type Side = 'front' | 'back';

/**
 * Shows the verification of a real name. Personal data is fetched only when the reader asks for it, or has claimed the case, because
 * the customer sees each look. A decision needs the data and each picture to have been shown.
 */
export function IdentityCase({ id, queued, nowMs, onDone }: CaseProps) {
  const text = useText();
  const { t, language } = text;
  const reader = useReader();
  const riskText = useRiskText();
  const claim = queued?.claim ?? null;
  const [hasLooked, setLooked] = useState(false);
  const isWanted = hasLooked || claim?.isMine === true;
  const [seen, setSeen] = useState<ReadonlySet<Side>>(new Set());
  const detail = useIdentity(id, isWanted);
  const { data } = detail;
  const one = queued ?? data;
  const isOpen = (queued?.stage ?? (data?.decidedAt === null ? 'open' : 'decided')) === 'open';
  const mayDecide = reader.roles.has('verification');
  return (
    <CaseFrame
      kind="identity"
      id={id}
      account={one?.account ?? ''}
      customerId={one?.customerId ?? ''}
      submittedAt={one?.submittedAt ?? nowMs}
      tags={[
        isOpen ? t('stage.open') : stateText(queued?.status ?? data?.state ?? 'pending', null, language),
      ]}
      claim={claim}
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
  const [side, setSide] = useState<Side>('front');
  const [opened, setOpened] = useState<readonly Side[]>(['front']);
  const { identity } = data;
  const sides = sidesOf(data);
  const show = (chosen: Side) => {
    setSide(chosen);
    setOpened((now) => [...new Set([...now, chosen])]);
  };
  usePageKeys(
    data.hasBack
      ? [{ key: 's', title: 'keys.side', run: () => show(side === 'front' ? 'back' : 'front') }]
      : [],
  );
  const doubles = [
    { name: t('identity.sameDocument'), accounts: data.risk.sameDocument },
    { name: t('identity.sameName'), accounts: data.risk.sameName },
  ].filter(({ accounts }) => accounts.length > 0);
  return (
    <>
      <Tabs
        label={t('identity.pictures')}
        id="side"
        value={side}
        tabs={sides.map((value) => ({
          value,
          label: t(`identity.${value}`),
          mark: sides.length > 1 && <KeyMark name="s" />,
        }))}
        onChange={show}
      />
      {/* A side is fetched when it is opened, and stays mounted: switching sides must not count as another look. */}
      {sides.map((one) => (
        <div key={one} role="tabpanel" aria-labelledby={`side-${one}`} hidden={side !== one}>
          {opened.includes(one) && (
            <ImageViewer
              path="identity/document"
              fields={{ id: data.id, side: one }}
              label={t(`identity.${one}`)}
              isShown={side === one}
              onSeen={() => onSeen(one)}
            />
          )}
        </div>
      ))}
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
      {doubles.map(({ name, accounts }) => (
        <p key={name} className="caption">
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
      ))}
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

function Decision(props: {
  id: string;
  account: string;
  /** Sides of the document; undefined until the details are shown. */
  leftToSee: readonly Side[] | undefined;
  claim: QueueCase['claim'];
  onDone: () => void;
}) {
  const { t } = useText();
  const { id, account, onDone } = props;
  const [step, setStep] = useState<'verify' | 'fail' | null>(null);
  const reasons = useIdentityReasons();
  const show = useToast((state) => state.show);
  const taken = useTaken(props.claim);
  const { leftToSee } = props;
  const left = leftToSee === undefined ? t('identity.lookFirst') : null;
  const [side] = leftToSee ?? [];
  const missing = taken ?? left ?? (side ? t('identity.leftToSee', { side: t(`identity.${side}`) }) : null);
  const decide = async (fields: {
    verdict: 'verified' | 'failed';
    reason?: string;
    note?: string | undefined;
  }) => {
    await post('identity/decide', { id, ...fields });
    setStep(null);
    show(t(fields.verdict === 'verified' ? 'identity.doneVerified' : 'identity.doneFailed', { account }));
    onDone();
    await refreshReview('identity', id);
  };
  return (
    <>
      <Acts missing={missing}>
        <KeyedAction hotkey="a" look="gold" disabled={missing !== null} onPress={() => setStep('verify')}>
          {t('identity.verify')}
        </KeyedAction>
        <KeyedAction hotkey="x" isRefusal disabled={missing !== null} onPress={() => setStep('fail')}>
          {t('identity.fail')}
        </KeyedAction>
      </Acts>
      <ConfirmDialog
        title={t('shell.named', { name: t('identity.verify'), value: account })}
        action={t('identity.verify')}
        isOpen={step === 'verify'}
        onClose={() => setStep(null)}
        onConfirm={() => decide({ verdict: 'verified' })}
      >
        <p>{t('identity.verifyText', { account })}</p>
      </ConfirmDialog>
      <RefuseDialog
        title={t('shell.named', { name: t('identity.fail'), value: account })}
        action={t('identity.fail')}
        isOpen={step === 'fail'}
        about={`identity ${id}`}
        templates={reasons.data ?? []}
        onClose={() => setStep(null)}
        onRefuse={(reason, note) => decide({ verdict: 'failed', reason, note })}
      />
    </>
  );
}
