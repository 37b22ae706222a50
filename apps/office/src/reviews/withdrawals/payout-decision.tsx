import type { OfficeData } from '@fairtick/protocol/office';
import { type ReactNode, useState } from 'react';
import { post } from '../../api/client.ts';
import { useHas, useMe } from '../../api/queries.ts';
import { useText } from '../../messages/text-context.tsx';
import { FormFault, SelectField, TextField, useForm } from '../../shell/form.tsx';
import { KeyedAction } from '../../shell/keyed-action.tsx';
import { withAsset } from '../../state/amounts.ts';
import { formatTime } from '../../state/format.ts';
import { useToast } from '../../state/toast.ts';
import { CaseFact } from '../case-frame.tsx';
import { refreshReview, useDestination } from '../queries.ts';
import { useTaken } from '../use-reader.ts';
import { EndDialog } from './end-dialog.tsx';
import { type DecisionProps, Refuse, WithdrawalStep } from './withdrawal-step.tsx';

type Withdrawal = OfficeData<'withdrawal/detail'>;
type Way = Exclude<NonNullable<Withdrawal['sending']>['way'], 'file'>;

/** An approved withdrawal: one cashier takes it and pays it; where the end is unknown, two people say what became of it. */
export function PayoutDecision(props: DecisionProps) {
  const { t } = useText();
  const has = useHas();
  const { data } = props;
  const { sending, end } = data;
  if (sending === null)
    return has('cashier') ? <Take {...props} /> : <p className="caption">{t('withdrawal.waitsForPayout')}</p>;
  if (end !== null && has('approver')) return <Verdict {...props} end={end} />;
  if (sending.isMine && sending.way !== 'provider') return <Payment {...props} />;
  return (
    <>
      <p className="caption">
        {t(end === null ? 'withdrawal.takenBy' : 'withdrawal.endWaits', {
          name: sending.by.name,
          time: formatTime(sending.time),
        })}
      </p>
      {has('cashier') &&
        (sending.way === 'provider' && data.provider !== null ? (
          <Send
            data={data}
            way="provider"
            label={t('withdrawal.askAgain', { name: data.provider })}
            beside={<SayEnd data={data} />}
            onDone={props.onDone}
          />
        ) : (
          <SayEnd data={data} />
        ))}
    </>
  );
}

/** Takes the withdrawal by hand or through the provider, or gives the money back before anything is sent. */
function Take({ data, onDone }: DecisionProps) {
  const { t } = useText();
  const [chosen, setChosen] = useState<Way>('provider');
  const amount = withAsset(data.arrives, data.asset);
  const name = data.provider;
  const way = name === null ? 'hand' : chosen;
  return (
    <Send
      data={data}
      way={way}
      label={
        way === 'hand'
          ? t('withdrawal.take', { amount })
          : t('withdrawal.takeVia', { amount, name: name ?? '' })
      }
      field={
        name !== null && (
          <SelectField
            label={t('withdrawal.payment')}
            value={way}
            choices={['provider', 'hand']}
            nameOf={(one) => (one === 'hand' ? t('withdrawal.way.hand') : name)}
            onChange={(event) => setChosen(event.target.value as Way)}
          />
        )
      }
      beside={<Refuse data={data} label={t('withdrawal.failed')} onDone={onDone} />}
      onDone={onDone}
    />
  );
}

function Send(props: {
  data: Withdrawal;
  way: Way;
  label: string;
  field?: ReactNode;
  beside: ReactNode;
  onDone: () => void;
}) {
  const { t } = useText();
  const { data, way } = props;
  return (
    <WithdrawalStep
      data={data}
      label={props.label}
      missing={useTaken(data.claim)}
      field={() => props.field}
      facts={<CaseFact name={t('withdrawal.instructions')}>{data.instructions || '–'}</CaseFact>}
      beside={props.beside}
      act={async () => {
        const { status } = await post('withdrawal/send', { id: data.id, way });
        if (status === 'success')
          return t('withdrawal.donePaid', { amount: withAsset(data.arrives, data.asset) });
        return t(way === 'hand' ? 'withdrawal.doneTaken' : 'withdrawal.doneUnknown');
      }}
      // The case stays open for the cashier who pays by hand.
      onDone={way === 'hand' ? () => {} : props.onDone}
    />
  );
}

/** The cashier who took the withdrawal pays at the bank and enters the reference. */
function Payment({ data, onDone }: DecisionProps) {
  const { t } = useText();
  const [reference, setReference] = useState('');
  const amount = withAsset(data.arrives, data.asset);
  const isShown = useDestination(data.id, false).data !== undefined;
  const missing = isShown
    ? reference.trim() === ''
      ? t('withdrawal.enterReference')
      : null
    : t('withdrawal.openBeforePay');
  return (
    <WithdrawalStep
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
      beside={<SayEnd data={data} />}
      act={async () => {
        await post('withdrawal/pay', { id: data.id, reference: reference.trim() });
        return t('withdrawal.donePaid', { amount });
      }}
      onDone={onDone}
    />
  );
}

/** A cashier says what became of the payment. */
function SayEnd({ data }: { data: Withdrawal }) {
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <KeyedAction hotkey="x" isRefusal onPress={() => setOpen(true)}>
        {t('withdrawal.sayEnd')}
      </KeyedAction>
      <EndDialog data={data} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

/** An approver agrees to what a cashier says became of the payment, or refuses it. */
function Verdict({ data, end, onDone }: DecisionProps & { end: NonNullable<Withdrawal['end']> }) {
  const { t } = useText();
  const me = useMe().data?.id;
  const form = useForm();
  const show = useToast((state) => state.show);
  const isOwn = end.by.id === me || data.sending?.by.id === me;
  const decide = (verdict: 'agree' | 'refuse') =>
    post('withdrawal/decideEnd', { id: end.id, content: end.content, verdict });
  const refuse = () =>
    form.send(async () => {
      await decide('refuse');
      show(t('withdrawal.doneEndRefused'));
      await refreshReview('withdrawal', data.id);
    });
  const outcome = t(end.wentOut ? 'withdrawal.end.sent' : 'withdrawal.end.not_sent');
  return (
    <WithdrawalStep
      data={data}
      label={t('withdrawal.agreeEnd', { outcome })}
      missing={isOwn ? t('eyes.barred.ownEdit') : null}
      field={() => <FormFault text={form.fault} />}
      facts={<EndFacts end={end} />}
      beside={
        <KeyedAction hotkey="x" isRefusal disabled={form.isBusy} onPress={() => void refuse()}>
          {t('withdrawal.refuseEnd')}
        </KeyedAction>
      }
      act={async () => {
        await decide('agree');
        return outcome;
      }}
      onDone={onDone}
    />
  );
}

export function EndFacts({ end }: { end: NonNullable<Withdrawal['end']> }) {
  const { t } = useText();
  return (
    <>
      <CaseFact name={t('withdrawal.endSaid')}>
        {t(end.wentOut ? 'withdrawal.end.sent' : 'withdrawal.end.not_sent')}
      </CaseFact>
      {end.reference !== null && <CaseFact name={t('withdrawal.reference')}>{end.reference}</CaseFact>}
      <CaseFact name={t('withdrawal.endNote')}>{end.note}</CaseFact>
      <CaseFact name={t('staff.proposedBy')}>
        {end.by.name} · {formatTime(end.time)}
      </CaseFact>
    </>
  );
}
