import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useHas } from '../../api/queries.ts';
import { useText } from '../../messages/text-context.tsx';
import { Action } from '../../shell/form.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { useMatchText } from '../../shell/match-text.ts';
import { less, readable, withAsset } from '../../state/amounts.ts';
import { CaseFact, CaseFacts, CaseFrame, Events, LookButton, Outcome, RiskList } from '../case-frame.tsx';
import { FourEyes } from '../four-eyes.tsx';
import { ImageViewer } from '../image-viewer.tsx';
import { useDeposit } from '../queries.ts';
import { fromDeposit } from '../queue-model.ts';
import { useRiskText } from '../queue-table.tsx';
import css from '../review.module.css';
import { type CaseProps, ReviewPage } from '../review-page.tsx';
import { useReader } from '../use-reader.ts';
import { DepositDecision } from './deposit-decision.tsx';

type Deposit = NonNullable<ReturnType<typeof useDeposit>['data']>;

export default function DepositPage() {
  return <ReviewPage kind="deposit" Case={DepositCase} />;
}

/** Shows a deposit: its picture, the statement beside the findings, the approvals and the decision. */
function DepositCase({ id, nowMs, onDone }: CaseProps) {
  const deposit = useDeposit(id);
  const [typed, setTyped] = useState<{ amount: string; evidence: string } | null>(null);
  const { data } = deposit;
  // A link from a statement line fills in the decision; the reader still decides.
  const line = useSearchParams()[0].get('line');
  const chosen = data?.matches.find((match) => match.id === line);
  const given = typed ?? (chosen ? { amount: readable(chosen.amount), evidence: chosen.reference } : null);
  if (!data) return <Loaded query={deposit}>{() => null}</Loaded>;
  return <DepositView data={data} nowMs={nowMs} onDone={onDone} typed={given} onType={setTyped} />;
}

function DepositView(props: {
  data: Deposit;
  nowMs: number;
  onDone: () => void;
  typed: { amount: string; evidence: string } | null;
  onType: (typed: { amount: string; evidence: string }) => void;
}) {
  const { data, nowMs } = props;
  const { t, word } = useText();
  const riskText = useRiskText();
  const reader = useReader();
  const isMine = data.claim?.isMine === true;
  const [hasLooked, setLooked] = useState(isMine);
  const eyes = reader.eyes(data, nowMs);
  const has = useHas();
  const canDecide = has('cashier', 'approver');
  const isOpen = data.decidedAt === null;
  return (
    <CaseFrame
      kind="deposit"
      of={data}
      tags={[word('realStatus', data.realStatus), word('level', data.level)]}
      canClaim={canDecide && isOpen}
      nowMs={nowMs}
      decision={
        isOpen && canDecide ? (
          <DepositDecision
            data={data}
            eyes={eyes}
            typed={props.typed}
            onType={props.onType}
            onDone={props.onDone}
          />
        ) : null
      }
    >
      {!isOpen && <Outcome of={data} />}
      {hasLooked || isMine ? (
        <ImageViewer path="deposit/proof" fields={{ id: data.id }} label={t('deposit.proof')} />
      ) : (
        <LookButton label={t('deposit.showProof')} onLook={() => setLooked(true)} />
      )}
      <Compared data={data} />
      <RiskList risks={fromDeposit(data).risks.map(riskText)} />
      {isOpen && has('cashier') && (
        <Matches data={data} onUse={(amount, evidence) => props.onType({ amount, evidence })} />
      )}
      {data.content !== null && <FourEyes eyes={eyes} needed={data.needed} usableFrom={reader.usableFrom} />}
      <Events
        events={data.events.map((event) => ({
          ...event,
          text:
            typeof event.facts.evidence === 'string'
              ? event.facts.evidence
              : ((event.facts.text as string | undefined) ?? null),
        }))}
      />
    </CaseFrame>
  );
}

/** Compares the customer’s statement with the findings of staff. */
function Compared({ data }: { data: Deposit }) {
  const { t, word } = useText();
  const none = t('deposit.notYet');
  const differs = data.found !== null && data.found !== data.amount;
  return (
    <>
      <table className={`full line-above line-below ${css.compared}`}>
        <caption className="sr">{t('deposit.compared')}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">{t('deposit.stated')}</th>
            <th scope="col">{t('deposit.found')}</th>
          </tr>
        </thead>
        <tbody>
          <tr data-differs={differs || undefined}>
            <th scope="row">{t('review.amount')}</th>
            <td>{withAsset(data.amount, data.asset)}</td>
            <td>
              {data.found === null ? none : withAsset(data.found, data.asset)}
              {differs && <span className="block text-12 ink-2">{t('deposit.differs')}</span>}
            </td>
          </tr>
          <tr>
            <th scope="row">{t('deposit.evidence')}</th>
            <td>{t('deposit.proof')}</td>
            <td className={css.breaks}>{data.evidence ?? none}</td>
          </tr>
        </tbody>
      </table>
      <CaseFacts>
        <CaseFact name={t('review.channel')}>{`${data.asset} ${word('network', data.network)}`}</CaseFact>
        {/* A bank transfer has no confirmations. */}
        {data.network !== 'bank' && (
          <CaseFact name={t('deposit.confirmations')}>
            {data.confirmations === null ? t('shell.unknown') : data.confirmations}
          </CaseFact>
        )}
        <CaseFact name={t('deposit.fee')}>{withAsset(data.fee, data.asset)}</CaseFact>
        {data.found !== null && (
          <CaseFact name={t('deposit.credited')}>
            {withAsset(less(data.found, data.fee), data.asset)}
          </CaseFact>
        )}
      </CaseFacts>
    </>
  );
}

/** Lines of the bank's statement that may match this deposit; choosing one fills in the decision but decides nothing. */
function Matches({ data, onUse }: { data: Deposit; onUse: (amount: string, evidence: string) => void }) {
  const { t } = useText();
  const matchText = useMatchText();
  if (data.matches.length === 0) return null;
  return (
    <section aria-labelledby="matches">
      <h3 id="matches">{t('match.title')}</h3>
      <ul className={`lined stack ${css.matches}`}>
        {data.matches.map((match) => (
          <li key={match.id}>
            <span className="stack">
              <span>
                <strong>{withAsset(match.amount, data.asset)}</strong>, {match.bookedOn}
              </span>
              <span className={css.breaks}>
                {match.reference} <span className="secondary">{match.counterparty}</span>
              </span>
              <span className="caption">{matchText(match)}</span>
            </span>
            <Action size="small" onClick={() => onUse(readable(match.amount), match.reference)}>
              {t('match.use')}
            </Action>
          </li>
        ))}
      </ul>
    </section>
  );
}
