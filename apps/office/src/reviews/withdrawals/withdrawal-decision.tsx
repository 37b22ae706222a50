import { useState } from 'react';
import { post } from '../../api/client.ts';
import { useHas } from '../../api/queries.ts';
import { useText } from '../../messages/text-context.tsx';
import { TextField } from '../../shell/form.tsx';
import { withAsset } from '../../state/amounts.ts';
import { CaseFact } from '../case-frame.tsx';
import { useBarredText } from '../four-eyes.tsx';
import { useDestination } from '../queries.ts';
import { StaleNotice } from '../stale-notice.tsx';
import { useReader, useSeen, useTaken } from '../use-reader.ts';
import { useObstacle } from './obstacle.ts';
import { PayoutDecision } from './payout-decision.tsx';
import { type DecisionProps, Refuse, WithdrawalStep } from './withdrawal-step.tsx';

/**
 * Proposed by a cashier, approved by others, taken and paid by a cashier: each step has one gold button that names the amount that arrives.
 */
export function WithdrawalDecision(props: DecisionProps) {
  const { t } = useText();
  const has = useHas();
  const { data, eyes } = props;
  if (data.status === 'approved' || data.status === 'sending') return <PayoutDecision {...props} />;
  if (has('approver') && data.content !== null && eyes.barred !== 'role') return <Approval {...props} />;
  if (!has('cashier')) return <p className="caption">{t('withdrawal.waitsForCashier')}</p>;
  return <Proposal {...props} />;
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
      <WithdrawalStep
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
    <WithdrawalStep
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
