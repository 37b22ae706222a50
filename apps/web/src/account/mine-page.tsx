import { LANGUAGES } from '@fairtick/protocol/languages';
import { Button, Field, ForwardIcon, Notice } from '@fairtick/ui';
import { type ReactNode, useState } from 'react';
import { post } from '../api/client.ts';
import { tellFault } from '../api/tell-fault.ts';
import { useText } from '../messages/text-context.tsx';
import { chooseLanguage } from '../shell/choose-language.ts';
import { Dialog } from '../shell/dialog.tsx';
import { LANGUAGE_NAMES } from '../shell/language-menu.tsx';
import { Link } from '../shell/link.tsx';
import { endSession } from '../state/end-session.ts';
import { useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';
import { useToast } from '../state/toast.ts';
import css from './account.module.css';
import { type Faults, passwordFaults } from './account-forms.ts';
import { PasswordField } from './password-field.tsx';
import { useForm } from './use-form.ts';

/** My account, as far as it is built: who I am, my settings, password and nickname, and the way out. */
export default function MinePage() {
  const { t } = useText();
  const userInfo = useSession((state) => state.userInfo);
  const [open, setOpen] = useState<'password' | 'nickname' | 'language' | null>(null);
  const { language, dark, toggleDark, updown, setUpDown } = useSettings();
  const close = () => setOpen(null);
  return (
    <div className={css.page}>
      <h1 className="sr">{t('title.mine')}</h1>
      <section className={css.who}>
        <div>
          <b>{userInfo?.nickname ?? ' '}</b>
          <span>{userInfo?.account ?? ' '}</span>
        </div>
      </section>
      <div className={css.list}>
        <Item label={t('title.historyOrder')} href="/historyOrder" />
        <Item
          label={t('account.setNickname')}
          onClick={() => setOpen('nickname')}
          value={userInfo?.nickname}
        />
        <Item label={t('account.setPassword')} onClick={() => setOpen('password')} />
      </div>
      <div className={css.list}>
        <Item
          label={t('shell.language')}
          onClick={() => setOpen('language')}
          value={LANGUAGE_NAMES[language]}
        />
        <Item
          label={t('shell.theme')}
          onClick={toggleDark}
          value={dark ? t('shell.dark') : t('shell.light')}
        />
        <Item
          label={t('shell.updown')}
          onClick={() => setUpDown(updown === 'red' ? 'green' : 'red')}
          value={updown === 'red' ? t('shell.redUp') : t('shell.greenUp')}
        />
      </div>
      <div style={{ marginTop: 20 }}>
        <Notice>{t('later.mine')}</Notice>
      </div>
      <div style={{ marginTop: 20 }}>
        <LogoutButton />
      </div>
      <Dialog title={t('shell.language')} isOpen={open === 'language'} onClose={close}>
        <div className={css.list} style={{ marginTop: 0 }}>
          {LANGUAGES.map((choice) => (
            <Item
              key={choice}
              label={LANGUAGE_NAMES[choice]}
              onClick={() => {
                chooseLanguage(choice);
                close();
              }}
            />
          ))}
        </div>
      </Dialog>
      <Dialog title={t('account.setPassword')} isOpen={open === 'password'} onClose={close}>
        <PasswordForm onDone={close} />
      </Dialog>
      <Dialog title={t('account.setNickname')} isOpen={open === 'nickname'} onClose={close}>
        <NicknameForm first={userInfo?.nickname ?? ''} onDone={close} />
      </Dialog>
    </div>
  );
}

function Item({
  label,
  value,
  href,
  onClick,
}: {
  label: string;
  value?: string | undefined;
  href?: string;
  onClick?: () => void;
}) {
  const inside: ReactNode = (
    <>
      <span>{label}</span>
      <span>
        {value}
        <ForwardIcon size={16} />
      </span>
    </>
  );
  return href ? (
    <Link href={href} className={css.item}>
      {inside}
    </Link>
  ) : (
    <button type="button" className={css.item} onClick={onClick}>
      {inside}
    </button>
  );
}

function LogoutButton() {
  const { t } = useText();
  const [isBusy, setBusy] = useState(false);
  const logout = async () => {
    setBusy(true);
    try {
      await post('logout');
      endSession();
    } catch (error) {
      // The token may still be alive: saying that it is dead would be wrong.
      tellFault(error, t);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button isBlock disabled={isBusy} onClick={logout}>
      {t('account.logout')}
    </Button>
  );
}

function PasswordForm({ onDone }: { onDone: () => void }) {
  const { t } = useText();
  const [oldPassword, setOld] = useState('');
  const [password, setPassword] = useState('');
  const [confirmPassword, setConfirm] = useState('');
  const form = useForm<'oldPassword' | 'password' | 'confirmPassword'>({
    check: (): Faults<'oldPassword' | 'password' | 'confirmPassword'> => ({
      ...(oldPassword === '' ? { oldPassword: 'fault.passwordRequired' } : {}),
      ...passwordFaults({ password, confirmPassword }),
    }),
    send: async () => {
      await post('setPassword', { oldPassword, password, confirmPassword });
      useToast.getState().show(t('shell.modified'));
      onDone();
    },
  });
  return (
    <form className={css.form} onSubmit={form.submit} noValidate style={{ marginTop: 8 }}>
      <PasswordField
        label={t('account.oldPassword')}
        value={oldPassword}
        autoComplete="current-password"
        fault={form.faultOf('oldPassword')}
        onChange={(value) => {
          form.clear('oldPassword');
          setOld(value);
        }}
      />
      <PasswordField
        label={t('account.newPassword')}
        hint={t('account.passwordRule')}
        value={password}
        autoComplete="new-password"
        fault={form.faultOf('password')}
        onChange={(value) => {
          form.clear('password');
          setPassword(value);
        }}
      />
      <PasswordField
        label={t('account.confirmPassword')}
        value={confirmPassword}
        autoComplete="new-password"
        fault={form.faultOf('confirmPassword')}
        onChange={(value) => {
          form.clear('confirmPassword');
          setConfirm(value);
        }}
      />
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('account.save')}
      </Button>
    </form>
  );
}

function NicknameForm({ first, onDone }: { first: string; onDone: () => void }) {
  const { t } = useText();
  const [nickname, setNickname] = useState(first);
  const form = useForm<'nickname'>({
    check: (): Faults<'nickname'> => (nickname.trim() === '' ? { nickname: 'fault.nicknameRequired' } : {}),
    send: async () => {
      await post('setUserName', { nickname: nickname.trim() });
      const { userInfo, setUserInfo } = useSession.getState();
      if (userInfo) setUserInfo({ ...userInfo, nickname: nickname.trim() });
      useToast.getState().show(t('shell.modified'));
      onDone();
    },
  });
  return (
    <form className={css.form} onSubmit={form.submit} noValidate style={{ marginTop: 8 }}>
      <Field label={t('account.nickname')} fault={form.faultOf('nickname')}>
        {(ids) => (
          <input
            {...ids}
            value={nickname}
            maxLength={20}
            autoComplete="nickname"
            onChange={(event) => {
              form.clear('nickname');
              setNickname(event.target.value);
            }}
          />
        )}
      </Field>
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {t('account.save')}
      </Button>
    </form>
  );
}
