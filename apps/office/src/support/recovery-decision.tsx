import { canTake } from '@fairtick/protocol/lifecycles';
import { durationText } from '@fairtick/ui/durations';
import { useId } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, FormFault, LongText, SelectField, Tick, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import css from './chats.module.css';
import { type RecoveryDetail, refreshRecovery } from './queries.ts';

const REASONS = ['unknown_account', 'not_proven', 'unreachable', 'duplicate', 'withdrawn'] as const;

interface Props {
  readonly detail: RecoveryDetail;
  readonly roles: ReadonlySet<string>;
  /** Called with the reader's half of the code, which the server gives once; null: there is none. */
  readonly onDone: (half: string | null) => Promise<void>;
}

/** The reader's options: support records how the person was identified, verification approves, and both may refuse; of a claim, support proposes that. */
export function RecoveryDecision({ detail, roles, onDone }: Props) {
  const mayPropose = roles.has('support') && detail.customer !== null;
  const mayApprove = roles.has('verification') && canTake('recovery', detail.state, 'approved');
  return (
    <footer className={`stack gap-10 line-above ${css.form}`}>
      {mayPropose && <Propose detail={detail} onDone={onDone} />}
      {mayApprove && <Approve detail={detail} onDone={onDone} />}
      {detail.isClaim && (roles.has('support') || roles.has('verification')) && <Keep detail={detail} />}
      {(roles.has('support') || (roles.has('verification') && !endsDispute(detail))) && (
        <Refuse detail={detail} />
      )}
    </footer>
  );
}

/** How long withdrawals are held after a claim's decision, or the removal of a second factor. */
export const holdText = ({ holdSeconds }: RecoveryDetail, tag: string): string =>
  durationText(2 * holdSeconds * 1_000, tag);

/** Whether the refusal of this call takes two members of staff. */
const endsDispute = ({ lostAt, customer }: RecoveryDetail): boolean => lostAt !== null && customer !== null;

function Propose({ detail, onDone }: Omit<Props, 'roles'>) {
  const { t } = useText();
  const id = useId();
  const form = useForm({ draft: `recovery ${detail.id}`, values: { how: '', takesFactor: false } });
  const { how, takesFactor } = form.values;
  const propose = async () => {
    const { half } = await post('recovery/propose', {
      id: detail.id,
      how: how.trim(),
      takesFactor: String(takesFactor),
    });
    form.set({ how: '' });
    await onDone(half);
  };
  return (
    <form className={`stack gap-6 ${css.words}`} onSubmit={form.onSubmit(propose)}>
      <label htmlFor={id}>{t('recovery.how')}</label>
      <LongText
        id={id}
        rows={3}
        maxLength={1_000}
        required
        value={how}
        onChange={form.field('how').onChange}
      />
      {detail.customer?.hasSecondFactor && (
        <Tick
          label={t('recovery.takesFactor')}
          checked={takesFactor}
          onChange={(event) => form.set({ takesFactor: event.target.checked })}
        />
      )}
      <FormFault text={form.fault} />
      <div className="line">
        <p className="caption">{t('recovery.proposeRule')}</p>
        <span className="grow" />
        <Action look="gold" type="submit" disabled={form.isBusy || how.trim() === ''}>
          {t(detail.state === 'proposed' ? 'recovery.proposeAgain' : 'recovery.propose')}
        </Action>
      </div>
    </form>
  );
}

function Approve({ detail, onDone }: Omit<Props, 'roles'>) {
  const { t, tag } = useText();
  const form = useForm();
  const { customer, content } = detail;
  const approve = async () => {
    const { half } = await post('recovery/approve', { id: detail.id, content: content ?? '' });
    await onDone(half);
  };
  return (
    <form className={`stack gap-6 ${css.words}`} onSubmit={form.onSubmit(approve)}>
      {customer?.verificationId && (
        <p>
          <Link href={`~/identities/${customer.verificationId}`} className="link">
            {t('recovery.openIdentity')}
          </Link>
        </p>
      )}
      <FormFault text={form.fault} />
      <div className="line">
        <p className="caption">
          {t(
            detail.isMine
              ? 'recovery.ownRule'
              : detail.refusal === null
                ? 'recovery.approveRule'
                : 'recovery.refusalRule',
            { hold: holdText(detail, tag) },
          )}
        </p>
        <span className="grow" />
        <Action look="gold" type="submit" disabled={form.isBusy || detail.isMine}>
          {t(detail.refusal === null ? 'recovery.approve' : 'recovery.approveRefusal')}
        </Action>
      </div>
    </form>
  );
}

/** Until when the claim holds withdrawals, and the step that keeps it for another week. */
function Keep({ detail }: { detail: RecoveryDetail }) {
  const { t, tag } = useText();
  const form = useForm();
  const keep = async () => {
    await post('recovery/keep', { id: detail.id });
    await refreshRecovery(detail.id);
  };
  return (
    <form className={`stack gap-6 ${css.words}`} onSubmit={form.onSubmit(keep)}>
      <FormFault text={form.fault} />
      <div className="line">
        <p className="caption">
          {detail.holdsUntil !== null &&
            t('recovery.holdsUntil', { time: formatTime(detail.holdsUntil, tag) })}
        </p>
        <span className="grow" />
        <Action type="submit" disabled={form.isBusy}>
          {t('recovery.keep')}
        </Action>
      </div>
    </form>
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
      >
        <option value="">{t('refuse.choose')}</option>
        {REASONS.map((one) => (
          <option key={one} value={one}>
            {word('recoveryReason', one)}
          </option>
        ))}
      </SelectField>
      <Action type="submit" disabled={form.isBusy || reason === ''}>
        {t(label)}
      </Action>
    </form>
  );
}
