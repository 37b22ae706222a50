import { asTyped, withoutTrailingZeros } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import { useState } from 'react';
import { post } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { Action, TextField } from '../../shell/form.tsx';
import { KeyedAction } from '../../shell/keyed-action.tsx';
import { AmountField } from '../../shell/number-fields.tsx';
import { approvalsNeeded, isAbove, less, plus, typedAmount, withAsset } from '../../state/amounts.ts';
import { useToast } from '../../state/toast.ts';
import { Acts, CaseFact, CaseFacts } from '../case-frame.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { useBarredText } from '../four-eyes.tsx';
import type { Eyes } from '../four-eyes-model.ts';
import { refreshReview, useReasons, useRules } from '../queries.ts';
import { RefuseDialog } from '../refuse-dialog.tsx';
import css from '../review.module.css';
import { StaleNotice } from '../stale-notice.tsx';
import { focusOn, onEnter, useReader, useSeen, useTaken } from '../use-reader.ts';

type Deposit = OfficeData<'deposit/detail'>;
type Typed = { readonly amount: string; readonly evidence: string };
type Refusal = 'failure' | 'ignored';

interface DecisionProps {
  readonly data: Deposit;
  readonly eyes: Eyes;
  readonly roles: ReadonlySet<string>;
  readonly typed: Typed | null;
  readonly onType: (typed: Typed) => void;
  readonly onDone: () => void;
}

/** The gold button names the amount. The cashier has it, and the approver once there is a proposal. */
export function DepositDecision(props: DecisionProps) {
  const { eyes, data, roles } = props;
  if (roles.has('approver') && data.content !== null && eyes.barred !== 'role')
    return <Approval {...props} />;
  return roles.has('cashier') ? <Finding {...props} /> : <Waiting />;
}

/** Shown to an approver while no proposal exists. */
function Waiting() {
  const { t } = useText();
  return <p className="caption">{t('deposit.waitsForCashier')}</p>;
}

function useDone({ data, onDone }: DecisionProps) {
  const show = useToast((state) => state.show);
  return async (text: string, isDecided: boolean) => {
    show(text);
    if (isDecided) onDone();
    await refreshReview('deposit', data.id);
  };
}

function Approval(props: DecisionProps) {
  const { data, eyes } = props;
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  const { isStale, lookAgain } = useSeen(data.content);
  const done = useDone(props);
  const amount = withAsset(data.found ?? data.amount, data.asset);
  const barred = useBarredText(useReader().usableFrom)(eyes);
  const mayApprove = barred === null && !isStale;
  const approve = async () => {
    try {
      const { status } = await post('deposit/approve', { id: data.id, content: data.content ?? '' });
      setOpen(false);
      await done(t(status === 'success' ? 'deposit.doneCredited' : 'deposit.doneApproved', { amount }), true);
    } finally {
      await refreshReview('deposit', data.id);
    }
  };
  return (
    <>
      {isStale && <StaleNotice lookAgain={lookAgain} />}
      <Acts missing={barred}>
        <KeyedAction hotkey="a" look="gold" disabled={!mayApprove} onPress={() => setOpen(true)}>
          {t('deposit.approve', { amount })}
        </KeyedAction>
      </Acts>
      <ConfirmDialog
        title={t('deposit.approve', { amount })}
        action={t('deposit.approve', { amount })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={approve}
      >
        <CaseFacts>
          <CaseFact name={t('review.customer')}>{data.account}</CaseFact>
          <CaseFact name={t('deposit.stated')}>{withAsset(data.amount, data.asset)}</CaseFact>
          <CaseFact name={t('deposit.found')}>{amount}</CaseFact>
          <CaseFact name={t('deposit.evidence')}>{data.evidence}</CaseFact>
          <CaseFact name={t('eyes.prepared')}>{data.editedBy?.name}</CaseFact>
        </CaseFacts>
      </ConfirmDialog>
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

function Finding(props: DecisionProps) {
  const { data, typed, onType } = props;
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const rules = useRules();
  const reasons = useReasons();
  const done = useDone(props);
  const now = typed ?? {
    amount: data.found === null ? '' : trimmed(data.found),
    evidence: data.evidence ?? '',
  };
  const found = typedAmount(now.amount, data.amount);
  const isWrong = now.amount.trim() !== '' && found === null;
  const larger = found !== null && isAbove(found, data.amount) ? found : data.amount;
  const rule = found === data.amount ? 'deposit' : 'deposit_differing';
  const needed =
    found === null
      ? null
      : approvalsNeeded(rules.data ?? [], rule, {
          amount: plus(larger, data.countsBefore),
          asset: data.asset,
        });
  const amount = found === null ? '' : withAsset(found, data.asset);
  const label =
    found === null
      ? t('deposit.credit', { amount: '' })
      : t(needed === 0 ? 'deposit.credit' : 'deposit.propose', { amount });
  const taken = useTaken(data.claim);
  const lacks = lackOf({ data, found, evidence: now.evidence.trim() });
  const missing = taken ?? (lacks && t(lacks));
  const act = () =>
    missing === null ? setOpen(true) : focusOn(found === null ? 'found-amount' : 'found-evidence');
  const send = async () => {
    try {
      const { status } = await post('deposit/find', {
        id: data.id,
        amount: found ?? '',
        evidence: now.evidence.trim(),
      });
      setOpen(false);
      await done(t(status === 'success' ? 'deposit.doneCredited' : 'deposit.doneProposed', { amount }), true);
    } finally {
      await refreshReview('deposit', data.id);
    }
  };
  const refuse = async (reason: string, text: string | undefined) => {
    await post('deposit/refuse', { id: data.id, status: refusal ?? 'failure', reason, text });
    setRefusal(null);
    await done(t('deposit.doneRefused'), true);
  };
  return (
    <>
      <div className={css.pair}>
        <AmountField
          data-focus="found-amount"
          label={t('deposit.amountFound', { asset: data.asset })}
          value={now.amount}
          fault={isWrong ? t('deposit.noAmount') : null}
          onChange={(event) => onType({ ...now, amount: event.target.value })}
          {...onEnter(act)}
        />
        <TextField
          data-focus="found-evidence"
          label={t('deposit.evidenceFound')}
          autoComplete="off"
          maxLength={200}
          value={now.evidence}
          onChange={(event) => onType({ ...now, evidence: event.target.value })}
          {...onEnter(act)}
        />
      </div>
      <p className="caption">
        {needed === null
          ? t('deposit.never')
          : t(needed === 0 ? 'deposit.alone' : 'deposit.others', { count: needed })}
        <Bound data={data} above={rules.data?.find(({ kind }) => kind === rule)?.above} />
      </p>
      <Acts missing={missing}>
        <KeyedAction
          hotkey="a"
          look="gold"
          disabled={missing !== null}
          onPress={() => setOpen(true)}
          onMissing={act}
        >
          {label}
        </KeyedAction>
        <KeyedAction hotkey="x" isRefusal disabled={taken !== null} onPress={() => setRefusal('failure')}>
          {t('deposit.decline')}
        </KeyedAction>
        <Action disabled={taken !== null} onClick={() => setRefusal('ignored')}>
          {t('deposit.ignore')}
        </Action>
      </Acts>
      <ConfirmDialog
        title={label}
        action={label}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={send}
      >
        <CaseFacts>
          <CaseFact name={t('review.customer')}>{data.account}</CaseFact>
          <CaseFact name={t('deposit.stated')}>{withAsset(data.amount, data.asset)}</CaseFact>
          <CaseFact name={t('deposit.found')}>{amount}</CaseFact>
          {found !== null && (
            <CaseFact name={t('deposit.credited')}>{withAsset(less(found, data.fee), data.asset)}</CaseFact>
          )}
          <CaseFact name={t('deposit.evidence')}>{now.evidence.trim()}</CaseFact>
        </CaseFacts>
      </ConfirmDialog>
      <RefuseDialog
        title={t('shell.named', {
          name: t(refusal === 'ignored' ? 'deposit.ignore' : 'deposit.decline'),
          value: `${t('review.number.deposit', { id: data.id })} · ${withAsset(data.amount, data.asset)}`,
        })}
        action={t(refusal === 'ignored' ? 'deposit.ignore' : 'deposit.decline')}
        isOpen={refusal !== null}
        about={`deposit ${data.id}`}
        templates={reasons.data?.deposit ?? []}
        onClose={() => setRefusal(null)}
        onRefuse={refuse}
      />
    </>
  );
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
