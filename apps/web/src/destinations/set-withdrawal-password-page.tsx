import { ClockIcon, Notice } from '@fairtick/ui';
import { useMemo, useState } from 'react';
import css from '../account/account.module.css';
import { post, RefusedError } from '../api/client.ts';
import { useSecond } from '../live/clock.ts';
import { refreshUserInfo } from '../live/user-info.ts';
import { useText } from '../messages/text-context.tsx';
import { OwnUsername, Remark, SendForm } from '../parts/form-parts.tsx';
import { pageOf } from '../parts/page.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { useForm } from '../parts/use-form.ts';
import { useNavbar } from '../shell/navbar.tsx';
import { formatCountdown, formatDayMinute } from '../state/format.ts';
import { useSession } from '../state/session.ts';
import { afterChange } from './after-change.ts';
import { DigitsField } from './digits-field.tsx';
import { EMPTY_WITHDRAWAL_PASSWORD, errors, summarise, type Way } from './withdrawal-password-model.ts';

/** `/setPayWord`: sets the withdrawal password, changes it, or resets a forgotten one. */
export default pageOf('identity', SetWithdrawalPassword);

function SetWithdrawalPassword() {
  const { t } = useText();
  const isSet = useSession((state) => state.userInfo?.hasPayWord ?? false);
  const lockedUntil = useSession((state) => state.userInfo?.payWordLockedUntil ?? null);
  const isLocked = useSecond() < (lockedUntil ?? 0);
  const [hasForgotten, setForgotten] = useState(false);
  const way: Way = !isSet ? 'set' : hasForgotten || isLocked ? 'forgotten' : 'change';
  const title = way === 'forgotten' ? t('withdrawalPassword.again') : t('title.setPayWord');
  useNavbar(useMemo(() => ({ title }), [title]));
  return (
    <div className="page">
      <p className={`secondary ${css.lead}`}>{t(`withdrawalPassword.${way}Lead`)}</p>
      {isLocked && lockedUntil !== null && <Locked until={lockedUntil} />}
      <WithdrawalPasswordForm way={way} />
      {isSet && !isLocked && (
        <p className="flex justify-center">
          <button type="button" className="link ink-2 touch" onClick={() => setForgotten(!hasForgotten)}>
            {hasForgotten ? t('withdrawalPassword.remembered') : t('withdrawalPassword.forgotten')}
          </button>
        </p>
      )}
    </div>
  );
}

function Locked({ until }: { until: number }) {
  const { t, tag } = useText();
  const left = formatCountdown(until - useSecond());
  return (
    <div className="mt-16">
      <Notice look="bad">
        {t('withdrawalPassword.lockedUntil', { time: formatDayMinute(until, tag), left })}
      </Notice>
    </div>
  );
}

function WithdrawalPasswordForm({ way }: { way: Way }) {
  const { t } = useText();
  const form = useForm({
    values: EMPTY_WITHDRAWAL_PASSWORD,
    shows: 'all',
    check: (values) => errors(values, way),
  });
  const summary = summarise(form.values, way);
  const send = async () => {
    try {
      await post(way === 'forgotten' ? 'user/resetPayWord' : 'user/setPayWord', summary.fields);
    } catch (error) {
      // The password may be locked by now, or set by an earlier try whose answer was lost: reload the state.
      if (error instanceof RefusedError) await refreshUserInfo();
      throw error instanceof RefusedError && error.code === 'LOGIN_FAILED' ? wrongPassword(error) : error;
    }
    await afterChange(t('shell.modified'), '/mine');
  };
  const wrongPassword = (error: RefusedError) =>
    new RefusedError(error.message, error.code, { password: t('fault.passwordWrong') });
  return (
    <SendForm form={form} send={send} button={t('account.save')} busy={t('form.saving')} top={24}>
      {way === 'change' && <DigitsField label={t('withdrawalPassword.old')} {...form.field('oldPayWord')} />}
      {way === 'forgotten' && (
        <>
          <OwnUsername />
          <PasswordField
            label={t('withdrawalPassword.accountPassword')}
            autoComplete="current-password"
            {...form.field('password')}
          />
        </>
      )}
      <DigitsField
        label={way === 'set' ? t('withdrawalPassword.word') : t('withdrawalPassword.new')}
        hint={summary.isEasy ? t('withdrawalPassword.easy') : t('withdrawalPassword.rule')}
        {...form.field('payWord')}
      />
      <DigitsField label={t('withdrawalPassword.confirm')} {...form.field('confirmPayWord')} />
      <Remark icon={<ClockIcon size={20} />}>{t('hold.startsAll')}</Remark>
    </SendForm>
  );
}
