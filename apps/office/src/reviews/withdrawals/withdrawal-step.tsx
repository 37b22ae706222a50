import type { OfficeData } from '@fairtick/protocol/office';
import type { ComponentProps, ReactNode } from 'react';
import { post } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { withAsset } from '../../state/amounts.ts';
import { CaseFact, CaseFacts } from '../case-frame.tsx';
import type { Eyes } from '../four-eyes-model.ts';
import { useDestination, useReasons } from '../queries.ts';
import { RefuseStep } from '../refuse-step.tsx';
import { Step } from '../step.tsx';
import { useTaken } from '../use-reader.ts';
import { DestinationFacts } from './destination-facts.tsx';

export interface DecisionProps {
  readonly data: OfficeData<'withdrawal/detail'>;
  readonly eyes: Eyes;
  readonly nowMs: number;
  readonly onDone: () => void;
}

/** A step of a withdrawal: what is confirmed begins with the customer, the destination and the sums. */
export function WithdrawalStep({
  data,
  facts,
  ...step
}: { data: DecisionProps['data']; facts: ReactNode } & Omit<
  ComponentProps<typeof Step>,
  'kind' | 'id' | 'children'
>) {
  const { t } = useText();
  const cached = useDestination(data.id, false).data;
  const shown = data.status === 'approved' ? undefined : cached;
  return (
    <Step kind="withdrawal" id={data.id} {...step}>
      <CaseFacts>
        <CaseFact name={t('review.customer')}>{data.account}</CaseFact>
        {shown ? (
          <DestinationFacts shown={shown} />
        ) : (
          <CaseFact name={t('review.destination')}>{data.destination.label}</CaseFact>
        )}
        <CaseFact name={t('withdrawal.leaves')}>{withAsset(data.amount, data.asset)}</CaseFact>
        <CaseFact name={t('withdrawal.arrives')}>{withAsset(data.arrives, data.asset)}</CaseFact>
        {facts}
      </CaseFacts>
    </Step>
  );
}

/** Refuses the withdrawal; the money returns to the customer's balance. */
export function Refuse({ data, label, onDone }: Pick<DecisionProps, 'data' | 'onDone'> & { label: string }) {
  const { t } = useText();
  const { id } = data;
  const amount = withAsset(data.amount, data.asset);
  return (
    <RefuseStep
      kind="withdrawal"
      id={id}
      label={label}
      about={`${t('review.number.withdrawal', { id })} · ${amount}`}
      action={t('withdrawal.giveBack', { amount })}
      isDisabled={useTaken(data.claim) !== null}
      templates={useReasons().data?.withdrawal}
      refuse={(reason, text) => post('withdrawal/refuse', { id, reason, text })}
      done={t('withdrawal.doneRefused')}
      onDone={onDone}
    />
  );
}
