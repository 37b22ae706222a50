import type { OfficeData } from '@fairtick/protocol/office';
import { FREEZE_REASONS, FROZEN_THINGS } from '@fairtick/protocol/office/customer-lists';
import { post } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { withAsset } from '../state/amounts.ts';

const HOURS = ['1', '6', '24', '48', '72'];
const DAYS = ['7', '14', '30', '90', '180', '365'];

export const refreshRestrictions = () => Promise.all([refresh('restrictions'), refresh('look', 'customer')]);

/** A freeze by one person for hours, or by two for days or to lift it. It begins with what is frozen now, if that is known. */
export function FreezeForm(props: { id: string; isAlone: boolean; running?: string | undefined }) {
  const { id, isAlone, running = 'login' } = props;
  const { t, word } = useText();
  const label = t(isAlone ? 'freeze.start' : 'freeze.propose');
  return (
    <FormAction
      label={label}
      values={{ what: running, time: isAlone ? '24' : '30', reason: 'security', note: '' }}
      inputs={() => [
        {
          name: 'what',
          label: t('freeze.what'),
          choices: FROZEN_THINGS,
          nameOf: (one) => word('frozen', one),
        },
        {
          name: 'time',
          label: t('freeze.for'),
          choices: isAlone ? HOURS : DAYS,
          nameOf: (one) => t(isAlone ? 'freeze.hours' : 'freeze.days', { count: Number(one) }),
          ...(!isAlone && { none: t('freeze.lift'), isOptional: true }),
        },
        {
          name: 'reason',
          label: t('freeze.reason'),
          choices: FREEZE_REASONS,
          nameOf: (one) => word('freezeReason', one),
        },
        { name: 'note', label: t('freeze.note'), maxLength: 500 },
      ]}
      send={({ time, ...body }) =>
        isAlone
          ? post('restriction/freeze', { customerId: id, ...body, hours: time })
          : post('restriction/propose', { customerId: id, ...body, days: time })
      }
      refresh={refreshRestrictions}
      {...(isAlone && { submit: label, done: t('freeze.done') })}
    />
  );
}

/** Holds a sum that an authority has ordered to hold. */
export function HoldForm({ id, assets }: { id: string; assets: readonly string[] }) {
  const { t } = useText();
  return (
    <FormAction
      label={t('freeze.hold')}
      draft={`hold ${id}`}
      values={{ asset: '', amount: '', authority: '', reference: '', note: '' }}
      inputs={() => [
        { name: 'asset', label: t('review.asset'), choices: assets, none: t('staff.choose') },
        { name: 'amount', label: t('review.amount'), kind: 'amount' },
        { name: 'authority', label: t('freeze.authority'), maxLength: 200 },
        { name: 'reference', label: t('freeze.reference'), maxLength: 60 },
        { name: 'note', label: t('freeze.note'), maxLength: 500 },
      ]}
      send={(body) => post('restriction/hold', { customerId: id, ...body })}
      refresh={refreshRestrictions}
    />
  );
}

/** Proposes to lift such a hold. */
export function LiftForm({ hold }: { hold: OfficeData<'restriction/holds'>[number] }) {
  const { t } = useText();
  const { id, amount, asset, authority, reference } = hold;
  return (
    <FormAction
      label={t('freeze.liftHold')}
      button={{ size: 'small' }}
      values={{ note: '' }}
      inputs={() => [
        <p key="hold" className="secondary">{`${withAsset(amount, asset)} · ${authority} · ${reference}`}</p>,
        { name: 'note', label: t('freeze.note'), maxLength: 500 },
      ]}
      send={(body) => post('restriction/liftHold', { id, ...body })}
      refresh={refreshRestrictions}
    />
  );
}
