import { type DialogProps, ModalDialog } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import css from './dialog.module.css';

export function Dialog(props: DialogProps) {
  const { t } = useText();
  return <ModalDialog {...props} closeLabel={t('shell.close')} style={css} closedby="any" />;
}
