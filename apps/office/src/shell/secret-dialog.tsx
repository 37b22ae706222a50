import { useText } from '../messages/text-context.tsx';
import css from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { Action, buttonsClass } from './form.tsx';

/** Shows a secret once: the server keeps only its hash. */
export function SecretDialog(props: {
  title: string;
  text: string;
  /** Null: the dialog is closed. */
  secret: string | null;
  onClose: () => void;
}) {
  const { t } = useText();
  return (
    <Dialog title={props.title} isOpen={props.secret !== null} onClose={props.onClose}>
      <p className="secondary">{props.text}</p>
      <p className={`mt-12 mb-12 p-12 text-center rounded-6 bg-s2 ${css.secret}`}>
        <code>{props.secret}</code>
      </p>
      <div className={buttonsClass}>
        <Action onClick={props.onClose}>{t('shell.close')}</Action>
      </div>
    </Dialog>
  );
}
