import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass } from '../shell/form.tsx';
import css from './staff.module.css';

/** Shows the password once: the server keeps only its hash. */
export function OneTimePassword(props: {
  secret: { account: string; password: string } | null;
  onClose: () => void;
}) {
  const { t } = useText();
  return (
    <Dialog title={t('staff.oneTime')} isOpen={props.secret !== null} onClose={props.onClose}>
      <p className="secondary">{t('staff.oneTimeText', { account: props.secret?.account ?? '' })}</p>
      <p className={`mt-12 mb-12 p-12 text-center rounded-6 bg-s2 ${css.secret}`}>
        <code>{props.secret?.password}</code>
      </p>
      <div className={buttonsClass}>
        <Action onClick={props.onClose}>{t('shell.close')}</Action>
      </div>
    </Dialog>
  );
}
