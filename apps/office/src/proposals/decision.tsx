import { exact } from '@fairtick/ui';
import { type ReactNode, useState } from 'react';
import { useHas, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass, FormFault, formClass, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { type Outcome, useOutcome } from './outcome.ts';
import css from './proposals.module.css';
import type { Proposal } from './proposals-table.tsx';

interface Props {
  readonly proposal: Proposal;
  readonly subject: string;
  /** Label of the gold button; it names what is approved. */
  readonly approve: string;
  /** Sends the verdict. */
  readonly decide: (verdict: 'agree' | 'refuse') => Promise<{ readonly status: Outcome }>;
  readonly refresh: () => Promise<unknown>;
  /** Shown once the proposal has taken effect; by default a text for any change. */
  readonly done?: string;
  /** The amount that is approved, if there is one. */
  readonly amount?: string;
  /** Whether the reader may refuse it; by default cashiers and approvers may. */
  readonly mayRefuse?: boolean;
  /** Everything that is being approved, as terms and descriptions. */
  readonly children: ReactNode;
}

/** The decision on a proposal: approve it (never by its proposer; the database enforces this), or refuse it, which the proposer calls withdrawing. */
export function Decision(props: Props) {
  const { t } = useText();
  const has = useHas();
  const { mayRefuse = has('cashier', 'approver') } = props;
  const [isOpen, setOpen] = useState(false);
  const step = useStep(props.proposal);
  if (!mayRefuse) return <span className="caption">{t('eyes.barred.role')}</span>;
  return (
    <>
      <Action size="small" onClick={() => setOpen(true)}>
        {t(step)}
      </Action>
      <Dialog title={props.subject} isOpen={isOpen} onClose={() => setOpen(false)}>
        <DecisionForm {...props} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

/** The reader's step on a proposal, as a button names it. */
export function useStep({ proposedBy }: Pick<Proposal, 'proposedBy'>) {
  const has = useHas();
  if (proposedBy.id === useMe().data?.id) return 'decision.withdraw';
  return has('approver') ? 'decision.decide' : 'staff.refuse';
}

function DecisionForm(props: Props & { onDone: () => void }) {
  const { t } = useText();
  const has = useHas();
  const form = useForm();
  const tell = useOutcome(props.refresh, props.done, props.amount);
  const isOwn = props.proposal.proposedBy.id === useMe().data?.id;
  const decide = (verdict: 'agree' | 'refuse') =>
    form.send(async () => {
      const { status } = await props.decide(verdict);
      await tell(status === 'refused' && isOwn ? 'withdrawn' : status);
      props.onDone();
    });
  return (
    <div className={`${formClass} ${css.decision}`}>
      <dl className={css.stated}>
        {props.children}
        <Stated name={t('staff.proposedBy')} value={props.proposal.proposedBy.name} />
        <Stated name={t('audit.time')} value={formatTime(props.proposal.proposedAt)} />
      </dl>
      {isOwn && <p className="note">{t('decision.own')}</p>}
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        <Action isRefusal={!isOwn} disabled={form.isBusy} onClick={() => void decide('refuse')}>
          {t(isOwn ? 'decision.withdraw' : 'staff.refuse')}
        </Action>
        {has('approver') && !isOwn && (
          <Action
            look="gold"
            meaning={props.approve}
            disabled={form.isBusy}
            onClick={() => void decide('agree')}
          >
            {props.approve}
          </Action>
        )}
      </div>
    </div>
  );
}

/** A proposed value, and the current one if that is text and differs. */
export function Stated({ name, value, was }: { name: string; value: ReactNode; was?: ReactNode }) {
  const { t } = useText();
  return (
    <>
      <dt>{name}</dt>
      <dd {...exact(value)}>
        {value}
        {typeof was === 'string' && was !== value && <small>{t('channel.was', { value: was })}</small>}
      </dd>
    </>
  );
}
