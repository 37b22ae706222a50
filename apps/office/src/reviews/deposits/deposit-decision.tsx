import { asTyped, withoutTrailingZeros } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import type { ReactNode } from 'react';
import { post } from '../../api/client.ts';
import { useHas } from '../../api/queries.ts';
import { useText } from '../../messages/text-context.tsx';
import { TextField } from '../../shell/form.tsx';
import { AmountField } from '../../shell/number-fields.tsx';
import { approvalsNeeded, isAbove, less, sumOf, typedAmount, withAsset } from '../../state/amounts.ts';
import { CaseFact, CaseFacts } from '../case-frame.tsx';
import { useBarredText } from '../four-eyes.tsx';
import type { Eyes } from '../four-eyes-model.ts';
import { useReasons, useRules } from '../queries.ts';
import { RefuseStep } from '../refuse-step.tsx';
import css from '../review.module.css';
import { StaleNotice } from '../stale-notice.tsx';
import { Step } from '../step.tsx';
import { useReader, useSeen, useTaken } from '../use-reader.ts';

type Deposit = OfficeData<'deposit/detail'>;
type Typed = { readonly amount: string; readonly evidence: string };

interface DecisionProps {
  readonly data: Deposit;
  readonly eyes: Eyes;
  readonly typed: Typed | null;
  readonly onType: (typed: Typed) => void;
  readonly onDone: () => void;
}

/** The gold button names the amount. The cashier has it, and the approver once there is a proposal. */
export function DepositDecision(props: DecisionProps) {
  const { t } = useText();
  const has = useHas();
  const { eyes, data } = props;
  if (has('approver') && data.content !== null && eyes.barred !== 'role') return <Approval {...props} />;
  if (has('cashier')) return <Finding {...props} />;
  return <p className="caption">{t('deposit.waitsForCashier')}</p>;
}

/** What is confirmed: the customer, what was stated and found, and `children`. */
function Confirmed(props: { data: Deposit; amount: string; evidence: string | null; children?: ReactNode }) {
  const { t } = useText();
  const { data, amount, evidence, children } = props;
  return (
    <CaseFacts>
      <CaseFact name={t('review.customer')}>{data.account}</CaseFact>
      <CaseFact name={t('deposit.stated')}>{withAsset(data.amount, data.asset)}</CaseFact>
      <CaseFact name={t('deposit.found')}>{amount}</CaseFact>
      {children}
      <CaseFact name={t('deposit.evidence')}>{evidence}</CaseFact>
    </CaseFacts>
  );
}

function Approval({ data, eyes, onDone }: DecisionProps) {
  const { t } = useText();
  const { isStale, lookAgain } = useSeen(data.content);
  const amount = withAsset(data.found ?? data.amount, data.asset);
  const barred = useBarredText(useReader().usableFrom)(eyes);
  return (
    <>
      {isStale && <StaleNotice lookAgain={lookAgain} />}
      <Step
        kind="deposit"
        id={data.id}
        label={t('deposit.approve', { amount })}
        missing={barred ?? (isStale ? t('review.stale') : null)}
        act={async () => {
          const { status } = await post('deposit/approve', { id: data.id, content: data.content ?? '' });
          return t(status === 'success' ? 'deposit.doneCredited' : 'deposit.doneApproved', { amount });
        }}
        onDone={onDone}
      >
        <Confirmed data={data} amount={amount} evidence={data.evidence}>
          <CaseFact name={t('eyes.prepared')}>{data.editedBy?.name}</CaseFact>
        </Confirmed>
      </Step>
    </>
  );
}

/** The text of what a finding lacks before it can be sent; null: nothing. */
function lackOf({ data, found, evidence }: { data: Deposit; found: string | null; evidence: string }) {
  if (found === null) return 'deposit.enterAmount';
  if (evidence === '') return 'deposit.enterEvidence';
  const stands = data.content !== null && found === data.found && evidence === data.evidence;
  return stands ? 'deposit.standing' : null;
}

/** What the cashier has typed or, before that, what was found, and how many must approve it. */
function useFinding({ data, typed }: DecisionProps) {
  const rules = useRules().data ?? [];
  const now = typed ?? {
    amount: data.found === null ? '' : trimmed(data.found),
    evidence: data.evidence ?? '',
  };
  const found = typedAmount(now.amount, data.amount);
  const larger = found !== null && isAbove(found, data.amount) ? found : data.amount;
  const rule = found === data.amount ? 'deposit' : 'deposit_differing';
  const counted = { amount: sumOf([larger, data.countsBefore]), asset: data.asset };
  return {
    now,
    found,
    evidence: now.evidence.trim(),
    needed: found === null ? null : approvalsNeeded(rules, rule, counted),
    above: rules.find(({ kind }) => kind === rule)?.above,
  };
}

function Finding(props: DecisionProps) {
  const { data, onType, onDone } = props;
  const { t } = useText();
  const { now, found, evidence, needed, above } = useFinding(props);
  const { id, asset } = data;
  const amount = found === null ? '' : withAsset(found, asset);
  const taken = useTaken(data.claim);
  const lacks = lackOf({ data, found, evidence });
  return (
    <Step
      kind="deposit"
      id={id}
      label={t(found === null || needed === 0 ? 'deposit.credit' : 'deposit.propose', { amount })}
      missing={taken ?? (lacks && t(lacks))}
      focus={found === null ? 'found-amount' : 'found-evidence'}
      field={(keys) => (
        <>
          <div className={css.pair}>
            <AmountField
              data-focus="found-amount"
              label={t('deposit.amountFound', { asset })}
              value={now.amount}
              fault={now.amount.trim() !== '' && found === null ? t('deposit.noAmount') : null}
              onChange={(event) => onType({ ...now, amount: event.target.value })}
              {...keys}
            />
            <TextField
              data-focus="found-evidence"
              label={t('deposit.evidenceFound')}
              autoComplete="off"
              maxLength={200}
              value={now.evidence}
              onChange={(event) => onType({ ...now, evidence: event.target.value })}
              {...keys}
            />
          </div>
          <p className="caption">
            {needed === null
              ? t('deposit.never')
              : t(needed === 0 ? 'deposit.alone' : 'deposit.others', { count: needed })}
            <Bound data={data} above={above} />
          </p>
        </>
      )}
      beside={<Refusals data={data} isDisabled={taken !== null} onDone={onDone} />}
      act={async () => {
        const { status } = await post('deposit/find', { id, amount: found ?? '', evidence });
        return t(status === 'success' ? 'deposit.doneCredited' : 'deposit.doneProposed', { amount });
      }}
      onDone={onDone}
    >
      <Confirmed data={data} amount={amount} evidence={evidence}>
        {found !== null && (
          <CaseFact name={t('deposit.credited')}>{withAsset(less(found, data.fee), asset)}</CaseFact>
        )}
      </Confirmed>
    </Step>
  );
}

/** Declines the deposit, or ignores it as none. */
function Refusals(props: { data: Deposit; isDisabled: boolean; onDone: () => void }) {
  const { t } = useText();
  const { data, ...rest } = props;
  const templates = useReasons().data?.deposit;
  return (['failure', 'ignored'] as const).map((status) => (
    <RefuseStep
      key={status}
      kind="deposit"
      id={data.id}
      label={t(status === 'failure' ? 'deposit.decline' : 'deposit.ignore')}
      about={`${t('review.number.deposit', { id: data.id })} · ${withAsset(data.amount, data.asset)}`}
      isKeyed={status === 'failure'}
      templates={templates}
      refuse={(reason, text) => post('deposit/refuse', { id: data.id, status, reason, text })}
      done={t('deposit.doneRefused')}
      {...rest}
    />
  ));
}

/** The sum of a day above which more people must approve, and what counts towards it already. */
function Bound(props: { data: Deposit; above: readonly { asset: string; amount: string }[] | undefined }) {
  const { t } = useText();
  const { asset, countsBefore } = props.data;
  const limit = props.above?.find((one) => one.asset === asset)?.amount;
  if (limit === undefined) return null;
  return (
    <span className="block">
      {t('deposit.countsBefore', {
        limit: withAsset(limit, asset),
        amount: withAsset(countsBefore, asset),
      })}
    </span>
  );
}

/** Without trailing zeros. */
const trimmed = (amount: string): string => asTyped(withoutTrailingZeros(amount));
