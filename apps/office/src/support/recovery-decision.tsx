import { canTake } from '@fairtick/protocol/lifecycles';
import { durationText } from '@fairtick/ui/durations';
import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, FormFault, LongText, SelectField, Tick, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import css from './chats.module.css';
import { type RecoveryDetail, refreshRecovery } from './queries.ts';

const REASONS = ['unknown_account', 'not_proven', 'unreachable', 'duplicate', 'withdrawn'] as const;

interface Props {
  readonly detail: RecoveryDetail;
  /** Called with the reader's half of the code, which the server gives once; null: there is none. */
  readonly onDone: (half: string | null) => Promise<void>;
}

/** The reader's options: support records how the person was identified, verification approves, and both may refuse; of a claim, support proposes that. */
export function RecoveryDecision({ detail, onDone }: Props) {
  const has = useHas();
  const mayPropose = has('support') && detail.customer !== null;
  const mayApprove = has('verification') && canTake('recovery', detail.state, 'approved');
  return (
    <footer className={`stack gap-10 line-above ${css.form}`}>
      {mayPropose && <Propose detail={detail} onDone={onDone} />}
      {mayApprove && <Approve detail={detail} onDone={onDone} />}
      {detail.isClaim && has('support', 'verification') && <Keep detail={detail} />}
      {(has('support') || (has('verification') && !endsDispute(detail))) && <Refuse detail={detail} />}
    </footer>
  );
}

/** How long withdrawals are held after a claim's decision, or the removal of a second factor. */
export const holdText = ({ holdSeconds }: RecoveryDetail, tag: string): string =>
  durationText(2 * holdSeconds * 1_000, tag);

/** Whether the refusal of this call takes two members of staff. */
const endsDispute = ({ lostAt, customer }: RecoveryDetail): boolean => lostAt !== null && customer !== null;

/** A step of the review: what it needs, and its button beside what it means. */
function StepForm(props: {
  form: Pick<ReturnType<typeof useForm>, 'onSubmit' | 'fault' | 'isBusy'>;
  send: () => Promise<unknown>;
  rule: string | null;
  action: string;
  look?: 'gold';
  isDisabled?: boolean;
  children?: ReactNode;
}) {
  const { form, look = 'line', isDisabled = false } = props;
  return (
    <form className={`stack gap-6 ${css.words}`} onSubmit={form.onSubmit(props.send)}>
      {props.children}
      <FormFault text={form.fault} />
      <div className="line">
        <p className="caption">{props.rule}</p>
        <span className="grow" />
        <Action look={look} type="submit" disabled={form.isBusy || isDisabled}>
          {props.action}
        </Action>
      </div>
    </form>
  );
}

function Propose({ detail, onDone }: Props) {
  const { t } = useText();
  const id = useId();
  const form = useForm({ draft: `recovery ${detail.id}`, values: { how: '', takesFactor: false } });
  const how = form.values.how.trim();
  const propose = async () => {
    const takesFactor = String(form.values.takesFactor);
    const { half } = await post('recovery/propose', { id: detail.id, how, takesFactor });
    form.set({ how: '' });
    await onDone(half);
  };
  return (
    <StepForm
      form={form}
      send={propose}
      rule={t('recovery.proposeRule')}
      action={t(detail.state === 'proposed' ? 'recovery.proposeAgain' : 'recovery.propose')}
      look="gold"
      isDisabled={how === ''}
    >
      <label htmlFor={id}>{t('recovery.how')}</label>
      <LongText
        id={id}
        rows={3}
        maxLength={1_000}
        required
        value={form.values.how}
        onChange={form.field('how').onChange}
      />
      {detail.customer?.hasSecondFactor && (
        <Tick
          label={t('recovery.takesFactor')}
          checked={form.values.takesFactor}
          onChange={(event) => form.set({ takesFactor: event.target.checked })}
        />
      )}
    </StepForm>
  );
}

function Approve({ detail, onDone }: Props) {
  const { t, tag } = useText();
  const { customer, content, isMine } = detail;
  const isRefusal = detail.refusal !== null;
  const approve = async () => {
    const { half } = await post('recovery/approve', { id: detail.id, content: content ?? '' });
    await onDone(half);
  };
  const rule = isMine ? 'recovery.ownRule' : isRefusal ? 'recovery.refusalRule' : 'recovery.approveRule';
  return (
    <StepForm
      form={useForm()}
      send={approve}
      rule={t(rule, { hold: holdText(detail, tag) })}
      action={t(isRefusal ? 'recovery.approveRefusal' : 'recovery.approve')}
      look="gold"
      isDisabled={isMine}
    >
      {customer?.verificationId && (
        <p>
          <Link href={`~/identities/${customer.verificationId}`} className="link">
            {t('recovery.openIdentity')}
          </Link>
        </p>
      )}
    </StepForm>
  );
}

/** Until when the claim holds withdrawals, and the step that keeps it for another week. */
function Keep({ detail: { id, holdsUntil } }: { detail: RecoveryDetail }) {
  const { t } = useText();
  const keep = async () => {
    await post('recovery/keep', { id });
    await refreshRecovery(id);
  };
  return (
    <StepForm
      form={useForm()}
      send={keep}
      rule={holdsUntil === null ? null : t('recovery.holdsUntil', { time: formatTime(holdsUntil) })}
      action={t('recovery.keep')}
    />
  );
}

function Refuse({ detail }: { detail: RecoveryDetail }) {
  const { t, word } = useText();
  const label = endsDispute(detail) ? 'recovery.proposeRefusal' : 'recovery.refuse';
  const form = useForm({ values: { reason: '' } });
  const { reason } = form.values;
  const refuse = async () => {
    await post('recovery/refuse', { id: detail.id, reason });
    await refreshRecovery(detail.id);
  };
  return (
    <form className={css.refuse} onSubmit={form.onSubmit(refuse)}>
      <SelectField
        label={t('recovery.refuseReason')}
        {...form.field('reason')}
        fault={form.faultOf('reason') ?? form.fault}
        none={t('refuse.choose')}
        choices={REASONS}
        nameOf={(one) => word('recoveryReason', one)}
      />
      <Action type="submit" disabled={form.isBusy || reason === ''}>
        {t(label)}
      </Action>
    </form>
  );
}
