import { canTake } from '@fairtick/protocol/lifecycles';
import type { OfficeData } from '@fairtick/protocol/office';
import { type ReactNode, useState } from 'react';
import { post } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { TextField } from '../../shell/form.tsx';
import { KeyedAction } from '../../shell/keyed-action.tsx';
import { withAsset } from '../../state/amounts.ts';
import { useToast } from '../../state/toast.ts';
import { Acts, CaseFact, CaseFacts } from '../case-frame.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { useBarredText } from '../four-eyes.tsx';
import type { Eyes } from '../four-eyes-model.ts';
import { refreshReview, useDestination, useReasons } from '../queries.ts';
import { RefuseDialog } from '../refuse-dialog.tsx';
import { StaleNotice } from '../stale-notice.tsx';
import { focusOn, onEnter, useReader, useSeen, useTaken } from '../use-reader.ts';
import { DestinationFacts } from './destination-facts.tsx';
import { useObstacle } from './obstacle.ts';

interface DecisionProps {
  readonly data: OfficeData<'withdrawal/detail'>;
  readonly eyes: Eyes;
  readonly roles: ReadonlySet<string>;
  readonly nowMs: number;
  readonly onDone: () => void;
}

/**
 * Proposed by a cashier, approved by others, paid by a cashier: each step has one gold button that names the amount that arrives.
 */
export function WithdrawalDecision(props: DecisionProps) {
  const { t } = useText();
  const { data, roles, eyes } = props;
  const canPay = canTake('withdrawal', data.status, 'paid');
  if (roles.has('approver') && !canPay && data.content !== null && eyes.barred !== 'role') {
    return <Approval {...props} />;
  }
  if (!roles.has('cashier')) {
    return (
      <p className="caption">{t(canPay ? 'withdrawal.waitsForPayout' : 'withdrawal.waitsForCashier')}</p>
    );
  }
  return canPay ? <Payout {...props} /> : <Proposal {...props} />;
}

/** The gold button of a step, a line above it that says what is still missing, and the dialog that asks to confirm. */
function Step(props: {
  data: DecisionProps['data'];
  label: string;
  /** The step that is missing before the button can be pressed; null: none is. */
  missing: string | null;
  /** A field above the button, in which Enter does what the button does. */
  field?: (keys: ReturnType<typeof onEnter>) => ReactNode;
  /** Focused by the shortcut while something is missing. */
  focus?: string;
  facts: ReactNode;
  beside?: ReactNode;
  act: () => Promise<string>;
  onDone: () => void;
}) {
  const { t } = useText();
  const { data } = props;
  const shown = useDestination(data.id, false).data;
  const [isOpen, setOpen] = useState(false);
  const show = useToast((state) => state.show);
  const run = () => {
    if (props.missing === null) setOpen(true);
    else if (props.focus !== undefined) focusOn(props.focus);
  };
  const confirm = async () => {
    try {
      const told = await props.act();
      setOpen(false);
      show(told);
      props.onDone();
    } finally {
      await refreshReview('withdrawal', data.id);
    }
  };
  return (
    <>
      {props.field?.(onEnter(run))}
      <Acts missing={props.missing}>
        <KeyedAction
          hotkey="a"
          look="gold"
          disabled={props.missing !== null}
          onPress={() => setOpen(true)}
          onMissing={run}
        >
          {props.label}
        </KeyedAction>
        {props.beside}
      </Acts>
      <ConfirmDialog
        title={props.label}
        action={props.label}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={confirm}
      >
        <CaseFacts>
          <CaseFact name={t('review.customer')}>{data.account}</CaseFact>
          {shown ? (
            <DestinationFacts shown={shown} />
          ) : (
            <CaseFact name={t('review.destination')}>{data.destination.label}</CaseFact>
          )}
          <CaseFact name={t('withdrawal.leaves')}>{withAsset(data.amount, data.asset)}</CaseFact>
          <CaseFact name={t('withdrawal.arrives')}>{withAsset(data.arrives, data.asset)}</CaseFact>
          {props.facts}
        </CaseFacts>
      </ConfirmDialog>
    </>
  );
}

function Approval({ data, eyes, nowMs, onDone }: DecisionProps) {
  const { t } = useText();
  const { isStale, lookAgain } = useSeen(data.content);
  const barred = useBarredText(useReader().usableFrom)(eyes);
  const obstacle = useObstacle(data, nowMs);
  const amount = withAsset(data.arrives, data.asset);
  const isShown = useDestination(data.id, false).data !== undefined;
  return (
    <>
      {isStale && <StaleNotice lookAgain={lookAgain} />}
      <Step
        data={data}
        label={t('withdrawal.approve', { amount })}
        missing={
          barred ??
          obstacle ??
          (isStale ? t('review.stale') : null) ??
          (data.destination.isSeen && isShown ? null : t('withdrawal.openFirst'))
        }
        facts={
          <>
            <CaseFact name={t('eyes.prepared')}>{data.editedBy?.name}</CaseFact>
            <CaseFact name={t('withdrawal.instructions')}>{data.instructions || '–'}</CaseFact>
          </>
        }
        act={async () => {
          const { status } = await post('withdrawal/approve', { id: data.id, content: data.content ?? '' });
          return t(status === 'review' ? 'withdrawal.doneOne' : 'withdrawal.doneApproved', { amount });
        }}
        onDone={onDone}
      />
    </>
  );
}

function Proposal({ data, onDone }: DecisionProps) {
  const { t } = useText();
  const [typed, setTyped] = useState<string | null>(null);
  const instructions = typed ?? data.instructions ?? '';
  const amount = withAsset(data.arrives, data.asset);
  const isAgain = data.content !== null;
  return (
    <Step
      data={data}
      label={t('withdrawal.propose', { amount })}
      missing={useTaken(data.claim)}
      field={(keys) => (
        <TextField
          label={t('withdrawal.instructionsField')}
          hint={t(isAgain ? 'withdrawal.again' : 'withdrawal.once')}
          maxLength={500}
          autoComplete="off"
          value={instructions}
          onChange={(event) => setTyped(event.target.value)}
          {...keys}
        />
      )}
      facts={<CaseFact name={t('withdrawal.instructions')}>{instructions.trim() || '–'}</CaseFact>}
      beside={<Refuse data={data} label={t('deposit.decline')} onDone={onDone} />}
      act={async () => {
        await post('withdrawal/propose', { id: data.id, instructions: instructions.trim() || undefined });
        return t('withdrawal.doneProposed', { amount });
      }}
      onDone={onDone}
    />
  );
}

function Payout({ data, onDone }: DecisionProps) {
  const { t } = useText();
  const [reference, setReference] = useState('');
  const amount = withAsset(data.arrives, data.asset);
  const isShown = useDestination(data.id, false).data !== undefined;
  const missing =
    useTaken(data.claim) ??
    (isShown ? null : t('withdrawal.openBeforePay')) ??
    (reference.trim() === '' ? t('withdrawal.enterReference') : null);
  return (
    <Step
      data={data}
      label={t('withdrawal.paid', { amount })}
      missing={missing}
      focus="payout-reference"
      field={(keys) => (
        <TextField
          data-focus="payout-reference"
          label={t('withdrawal.referenceField')}
          hint={t('withdrawal.referenceHint')}
          maxLength={200}
          autoComplete="off"
          value={reference}
          onChange={(event) => setReference(event.target.value)}
          {...keys}
        />
      )}
      facts={<CaseFact name={t('withdrawal.reference')}>{reference.trim()}</CaseFact>}
      beside={<Refuse data={data} label={t('withdrawal.failed')} onDone={onDone} />}
      act={async () => {
        await post('withdrawal/pay', { id: data.id, reference: reference.trim() });
        return t('withdrawal.donePaid', { amount });
      }}
      onDone={onDone}
    />
  );
}

/** Refuses the withdrawal; the money returns to the customer's balance. */
function Refuse({ data, label, onDone }: { data: DecisionProps['data']; label: string; onDone: () => void }) {
  const { t } = useText();
  const reasons = useReasons();
  const [isOpen, setOpen] = useState(false);
  const show = useToast((state) => state.show);
  const isTaken = useTaken(data.claim) !== null;
  const amount = withAsset(data.amount, data.asset);
  return (
    <>
      <KeyedAction hotkey="x" isRefusal disabled={isTaken} onPress={() => setOpen(true)}>
        {label}
      </KeyedAction>
      <RefuseDialog
        title={t('shell.named', {
          name: label,
          value: `${t('review.number.withdrawal', { id: data.id })} · ${amount}`,
        })}
        action={t('withdrawal.giveBack', { amount })}
        isOpen={isOpen}
        templates={reasons.data?.withdrawal ?? []}
        onClose={() => setOpen(false)}
        onRefuse={async (reason, text) => {
          await post('withdrawal/refuse', { id: data.id, reason, text });
          setOpen(false);
          show(t('withdrawal.doneRefused'));
          onDone();
          await refreshReview('withdrawal', data.id);
        }}
      />
    </>
  );
}
