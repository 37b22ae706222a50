import type { OfficeData } from '@fairtick/protocol/office';
import { type ReactNode, useState } from 'react';
import { post } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { KeyedAction } from '../../shell/keyed-action.tsx';
import { withAsset } from '../../state/amounts.ts';
import { useToast } from '../../state/toast.ts';
import { Acts, CaseFact, CaseFacts } from '../case-frame.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import type { Eyes } from '../four-eyes-model.ts';
import { refreshReview, useDestination, useReasons } from '../queries.ts';
import { RefuseDialog } from '../refuse-dialog.tsx';
import { focusOn, onEnter, useTaken } from '../use-reader.ts';
import { DestinationFacts } from './destination-facts.tsx';

export interface DecisionProps {
  readonly data: OfficeData<'withdrawal/detail'>;
  readonly eyes: Eyes;
  readonly roles: ReadonlySet<string>;
  readonly nowMs: number;
  readonly onDone: () => void;
}

/** The gold button of a step, a line above it that says what is still missing, and the dialog that asks to confirm. */
export function Step(props: {
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
  const cached = useDestination(data.id, false).data;
  const shown = data.status === 'approved' ? undefined : cached;
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

/** Refuses the withdrawal; the money returns to the customer's balance. */
export function Refuse({
  data,
  label,
  onDone,
}: {
  data: DecisionProps['data'];
  label: string;
  onDone: () => void;
}) {
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
        about={`withdrawal ${data.id}`}
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
