import { Notice } from '@fairtick/ui';
import { useState } from 'react';
import { faultText } from '../../api/fault-text.ts';
import { useHas } from '../../api/queries.ts';
import { useText } from '../../messages/text-context.tsx';
import { FormFault } from '../../shell/form.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { withAsset } from '../../state/amounts.ts';
import { formatTime, listed } from '../../state/format.ts';
import { CaseFact, CaseFacts, CaseFrame, Events, LookButton, Outcome, RiskList } from '../case-frame.tsx';
import { FourEyes } from '../four-eyes.tsx';
import { useDestination, useWithdrawal } from '../queries.ts';
import { fromWithdrawal } from '../queue-model.ts';
import { useRiskText } from '../queue-table.tsx';
import css from '../review.module.css';
import { type CaseProps, ReviewPage } from '../review-page.tsx';
import { useReader } from '../use-reader.ts';
import { DestinationFacts } from './destination-facts.tsx';
import { useObstacle } from './obstacle.ts';
import { EndFacts } from './payout-decision.tsx';
import { WithdrawalDecision } from './withdrawal-decision.tsx';

type Withdrawal = NonNullable<ReturnType<typeof useWithdrawal>['data']>;

export default function WithdrawalPage() {
  return <ReviewPage kind="withdrawal" Case={WithdrawalCase} />;
}

/** One withdrawal: what leaves and arrives, its destination, obstacles, four eyes, and the payout. */
function WithdrawalCase({ id, nowMs, onDone }: CaseProps) {
  return (
    <Loaded query={useWithdrawal(id)}>
      {(data) => <WithdrawalView data={data} nowMs={nowMs} onDone={onDone} />}
    </Loaded>
  );
}

function WithdrawalView({ data, nowMs, onDone }: { data: Withdrawal; nowMs: number; onDone: () => void }) {
  const { t, word, tag } = useText();
  const riskText = useRiskText();
  const reader = useReader();
  const eyes = reader.eyes(data, nowMs);
  const isOpen = data.decidedAt === null;
  const obstacle = useObstacle(data, nowMs);
  const isPayer = data.sending?.isMine === true && data.sending.way !== 'provider';
  const canDecide = useHas()('cashier', 'approver');
  return (
    <CaseFrame
      kind="withdrawal"
      of={data}
      tags={[word('realStatus', data.realStatus), word('level', data.level)]}
      canClaim={canDecide && isOpen && data.sending === null}
      nowMs={nowMs}
      decision={
        isOpen && canDecide ? (
          <WithdrawalDecision data={data} eyes={eyes} onDone={onDone} nowMs={nowMs} />
        ) : null
      }
    >
      {!isOpen && <Outcome of={data} />}
      {isOpen && obstacle !== null && <Notice look="bad">{obstacle}</Notice>}
      <CaseFacts>
        <CaseFact name={t('withdrawal.leaves')}>{withAsset(data.amount, data.asset)}</CaseFact>
        <CaseFact name={t('deposit.fee')}>{withAsset(data.fee, data.asset)}</CaseFact>
        <CaseFact name={t('withdrawal.arrives')}>{withAsset(data.arrives, data.asset)}</CaseFact>
        <CaseFact name={t('withdrawal.lastDay')}>
          {t('withdrawal.times', {
            count: data.risk.lastDay,
            amount: withAsset(data.risk.lastDayAmount, data.asset),
          })}
        </CaseFact>
        <CaseFact name={t('withdrawal.deposited')}>{withAsset(data.risk.deposited, data.asset)}</CaseFact>
        {data.instructions !== null && data.instructions !== '' && (
          <CaseFact name={t('withdrawal.instructions')}>{data.instructions}</CaseFact>
        )}
        {data.reference !== null && <CaseFact name={t('withdrawal.reference')}>{data.reference}</CaseFact>}
      </CaseFacts>
      <Payment data={data} />
      <Destination
        data={data}
        mayLook={canDecide && (data.status === 'review' || !isOpen || isPayer)}
        isMine={data.claim?.isMine === true || isPayer}
      />
      <RiskList risks={fromWithdrawal(data, nowMs).risks.map(riskText)} />
      {data.risk.sharedWith.length > 0 && (
        <p className="caption">
          {t('shell.named', {
            name: t('withdrawal.sharedWith'),
            value: listed(data.risk.sharedWith, tag),
          })}
        </p>
      )}
      {data.content !== null && <FourEyes eyes={eyes} needed={data.needed} usableFrom={reader.usableFrom} />}
      <Events
        events={data.events.map((event) => ({
          ...event,
          text: textOf(event.facts.instructions) ?? textOf(event.facts.reference) ?? textOf(event.facts.text),
        }))}
      />
    </CaseFrame>
  );
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Shows the cashier who took the withdrawal for paying, and the proposed end of the payment. */
function Payment({ data: { sending, end } }: { data: Withdrawal }) {
  const { t } = useText();
  if (sending === null) return null;
  return (
    <section aria-labelledby="payment">
      <h3 id="payment">{t('withdrawal.payment')}</h3>
      <CaseFacts>
        <CaseFact name={t('withdrawal.takenFor')}>
          {sending.by.name} · {formatTime(sending.time)} · {t(`withdrawal.way.${sending.way}`)}
        </CaseFact>
        {sending.way === 'provider' && (
          <CaseFact name={t('withdrawal.key')}>
            <span className={css.mono}>{sending.key}</span>
          </CaseFact>
        )}
        {end !== null && <EndFacts end={end} />}
      </CaseFacts>
    </section>
  );
}

/** The full destination. Each look is recorded, and the customer sees it. */
function Destination(props: { data: Withdrawal; mayLook: boolean; isMine: boolean }) {
  const text = useText();
  const { t } = text;
  const { data } = props;
  const [hasLooked, setLooked] = useState(props.isMine);
  const isWanted = props.mayLook && (hasLooked || props.isMine);
  const destination = useDestination(data.id, isWanted);
  const shown = isWanted ? destination.data : undefined;
  return (
    <section aria-labelledby="destination">
      <h3 id="destination">{t('review.destination')}</h3>
      <CaseFacts>
        <CaseFact name={t('withdrawal.label')}>{data.destination.label}</CaseFact>
        {shown && <DestinationFacts shown={shown} />}
      </CaseFacts>
      {shown?.bank && !shown.bank.isVerifiedName && (
        <div className="py-8">
          <Notice look="bad">{t('withdrawal.otherName')}</Notice>
        </div>
      )}
      {shown && (
        <p className="caption">
          {t('withdrawal.seen', { time: formatTime(destination.dataUpdatedAt).slice(11, 16) })}
        </p>
      )}
      {destination.isError && <FormFault text={faultText(destination.error, text)} />}
      {props.mayLook && !isWanted && (
        <LookButton label={t('withdrawal.showDestination')} onLook={() => setLooked(true)} />
      )}
    </section>
  );
}
