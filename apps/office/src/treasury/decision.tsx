import { type ReactNode, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass, FormFault, formClass, useForm } from '../shell/form.tsx';
import { useMayDecide } from './queries.ts';
import css from './treasury.module.css';

interface Props {
  readonly subject: string;
  readonly proposedBy: string;
  /** Label of the gold button; it names what is approved. */
  readonly approve: string;
  readonly onApprove: () => Promise<void>;
  readonly onRefuse: () => Promise<void>;
  /** Whether the reader may refuse it; by default cashiers and approvers may. */
  readonly mayRefuse?: boolean;
  /** Everything that is being approved. */
  readonly children: ReactNode;
}

/** The decision on a proposal: approve it (never by its proposer; the database enforces this), or refuse it. */
export function Decision(props: Props) {
  const { t } = useText();
  const usual = useMayDecide();
  const mayRefuse = props.mayRefuse ?? usual.mayRefuse;
  const [isOpen, setOpen] = useState(false);
  if (!mayRefuse) return null;
  return (
    <>
      <Action size="small" onClick={() => setOpen(true)}>
        {t('decision.decide')}
      </Action>
      <Dialog title={props.subject} isOpen={isOpen} onClose={() => setOpen(false)}>
        <DecisionForm {...props} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function DecisionForm(props: Props & { onDone: () => void }) {
  const { t } = useText();
  const { id, mayApprove } = useMayDecide();
  const form = useForm();
  const isOwn = props.proposedBy === id;
  const then = (work: () => Promise<void>) => async () => {
    await work();
    props.onDone();
  };
  return (
    <div className={`${formClass} ${css.decision}`}>
      {props.children}
      {isOwn && <p className={css.quiet}>{t('decision.own')}</p>}
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        <Action disabled={form.isBusy} onClick={() => void form.send(then(props.onRefuse))}>
          {t('staff.refuse')}
        </Action>
        {mayApprove && !isOwn && (
          <Action look="gold" disabled={form.isBusy} onClick={() => void form.send(then(props.onApprove))}>
            {props.approve}
          </Action>
        )}
      </div>
    </div>
  );
}

/** The state of a proposal, and who decided it. */
export function ProposalState({ status, by }: { status: string; by: { readonly name: string } | null }) {
  const { word } = useText();
  return (
    <>
      {word('change', status)}
      {by !== null && <span className={css.was}>{by.name}</span>}
    </>
  );
}
